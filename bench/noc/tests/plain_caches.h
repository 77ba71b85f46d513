// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Caches as plain loops: no directory, no sets in arrays. Who has a line is found by asking everybody, and a cache is a
// list in order of use.
#pragma once

#include "noc/trace/caches.h"

#include <list>
#include <map>

namespace noc::test
{

class plain_caches
{
      public:
	explicit plain_caches(const cache_options &o);

	struct said {
		traced_type type;
		unsigned from, to;
		uint64_t line;
		auto operator<=>(const said &) const = default;
	};

	bool access(unsigned core, uint64_t line, bool write); // whether it hits
	std::vector<said> messages;
	// 'M', 'E', 'S' or 'I'.
	char of(unsigned core, uint64_t line) const;
	bool in_second_level(uint64_t line) const;

      private:
	struct copy {
		uint64_t line;
		char what; // of the second level: 'D' if dirty
	};
	using set = std::list<copy>; // the last used one first

	set &l1(unsigned core, uint64_t line) { return l1_[{core, line % l1_sets_}]; }
	set &l2(uint64_t line) { return l2_[{line % o_.cores, line / o_.cores % l2_sets_}]; }
	copy *look(set &s, uint64_t line);
	void take_back(uint64_t line, unsigned except, bool all);
	void to_second_level(uint64_t line);
	void bring(uint64_t line);

	const cache_options o_;
	unsigned l1_sets_, l2_sets_;
	std::map<std::pair<unsigned, uint64_t>, set> l1_;
	std::map<std::pair<uint64_t, uint64_t>, set> l2_;
};

} // namespace noc::test
