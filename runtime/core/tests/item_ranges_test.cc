// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/item_ranges.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace het;
using het::rt::item_ranges;

// Items lie in each other, beside each other and apart; what is found is compared with a look at each.
TEST(item_ranges_test, finds_what_a_look_at_each_finds)
{
	std::mt19937 random(1);
	for (int round = 0; round < 300; round++) {
		std::vector<range> items(random() % 12);
		for (range &r : items) {
			r.begin = random() % 50;
			r.end = r.begin + 1 + random() % 20;
		}
		item_ranges found;
		ASSERT_TRUE(found.fill(items.size(), [&](size_t i) { return items[i]; }));
		for (int k = 0; k < 50; k++) {
			const uintptr_t begin = random() % 60;
			const range r = {begin, begin + 1 + random() % 15};
			const size_t overlap = found.find_overlap(r), cover = found.find_cover(r);
			const auto any = [&](auto is) { return std::any_of(items.begin(), items.end(), is); };
			ASSERT_EQ(overlap != item_ranges::none, any([&](range i) { return i.overlaps(r); }));
			ASSERT_EQ(cover != item_ranges::none, any([&](range i) { return i.covers(r); }));
			ASSERT_TRUE(overlap == item_ranges::none || items[overlap].overlaps(r));
			ASSERT_TRUE(cover == item_ranges::none || items[cover].covers(r));
		}
	}
}
