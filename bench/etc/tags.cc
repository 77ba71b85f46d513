// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/tags.h"

#include <algorithm>
#include <stdexcept>

namespace etc
{

tags::tags(unsigned entries, unsigned ways) : ways_(ways), sets_(ways ? entries / ways : 0)
{
	if (sets_ == 0)
		throw std::invalid_argument("a cache needs a set at least");
	entries_.resize(size_t(sets_) * ways_);
}

tags::entry *tags::find(uint64_t key)
{
	entry *const set = set_of(key);
	for (unsigned w = 0; w < ways_; w++) {
		if (set[w].used && set[w].key == key) {
			set[w].used = ++uses_;
			return &set[w];
		}
	}
	return nullptr;
}

tags::entry tags::put(uint64_t key, cycle ready, bool dirty)
{
	entry *const set = set_of(key);
	entry &victim =
		*std::min_element(set, set + ways_, [](const entry &a, const entry &b) { return a.used < b.used; });
	const entry left = victim;
	victim = {key, ++uses_, ready, dirty};
	return left;
}

void tags::remove(uint64_t key)
{
	if (entry *const e = find(key))
		*e = {};
}

} // namespace etc
