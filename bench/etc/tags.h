// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a cache or a TLB holds: keys in sets, of which the one used longest ago leaves. An entry may be on its way.
#pragma once

#include "etc/machine.h"

namespace etc
{

// Spreads what lies at even distances, as GPUs do, so that the rows of a matrix do not meet in one set or channel.
constexpr uint64_t spread(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return key >> 32;
}

class tags
{
      public:
	// Throws std::invalid_argument if there is not one set.
	tags(unsigned entries, unsigned ways);

	struct entry {
		uint64_t key = 0;
		uint64_t used = 0; // 0: nothing is there
		cycle ready = 0;   // when it is there
		bool dirty = false;
	};
	// Returns what is there, or null; that counts as a use.
	entry *find(uint64_t key);
	// Puts the key in place of another one, which it returns.
	entry put(uint64_t key, cycle ready, bool dirty = false);
	void remove(uint64_t key);

      private:
	entry *set_of(uint64_t key) { return &entries_[size_t(spread(key) % sets_) * ways_]; }

	unsigned ways_;
	uint64_t sets_, uses_ = 0;
	std::vector<entry> entries_;
};

} // namespace etc
