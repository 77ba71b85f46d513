// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sched/interval_tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace het;
using namespace het::rt;

namespace
{

using found = std::vector<const access_entry *>;

found writers_of(const interval_tree &tree, range r)
{
	found f;
	tree.for_writers(r, [&](access_entry &e) { f.push_back(&e); });
	std::sort(f.begin(), f.end());
	return f;
}

found overlaps_of(const interval_tree &tree, range r)
{
	found f;
	tree.for_overlaps(r, [&](access_entry &e) { f.push_back(&e); });
	std::sort(f.begin(), f.end());
	return f;
}

TEST(interval_tree, is_empty_at_first)
{
	interval_tree tree;
	EXPECT_TRUE(tree.empty());
	EXPECT_TRUE(overlaps_of(tree, {0, UINTPTR_MAX}).empty());
	EXPECT_EQ(tree.first_inside({0, UINTPTR_MAX}, nullptr), nullptr);
}

TEST(interval_tree, ranges_that_only_meet_do_not_overlap)
{
	interval_tree tree;
	access_entry e{{10, 20}};
	tree.insert(e);
	EXPECT_TRUE(overlaps_of(tree, {0, 10}).empty());
	EXPECT_TRUE(overlaps_of(tree, {20, 30}).empty());
	EXPECT_EQ(overlaps_of(tree, {19, 20}), found{&e});
	tree.remove(e);
	EXPECT_TRUE(tree.empty());
	EXPECT_EQ(e.inside, nullptr);
}

TEST(interval_tree, equal_ranges_are_told_apart)
{
	interval_tree tree;
	access_entry many[8];
	for (access_entry &e : many) {
		e.bytes = {5, 9};
		tree.insert(e);
	}
	EXPECT_EQ(overlaps_of(tree, {8, 9}).size(), 8u);
	tree.remove(many[3]);
	EXPECT_EQ(overlaps_of(tree, {8, 9}).size(), 7u);
}

// The tree must agree with a list that is searched from end to end.
TEST(interval_tree, agrees_with_a_plain_list)
{
	std::mt19937 random(1);
	auto below = [&](unsigned n) { return random() % n; };
	constexpr unsigned universe = 200;
	interval_tree tree;
	std::vector<access_entry> entries(300);
	auto random_range = [&] {
		uintptr_t begin = below(universe);
		return range{begin, begin + 1 + below(below(8) ? 20 : universe)};
	};
	for (unsigned round = 0; round < 20000; round++) {
		access_entry &e = entries[below(300)];
		if (e.inside) {
			tree.remove(e);
		} else {
			e.bytes = random_range();
			e.writes = below(4) == 0;
			tree.insert(e);
		}
		range r = random_range();
		found want, want_writers;
		bool any_inside = false;
		for (access_entry &other : entries) {
			if (other.inside && other.bytes.overlaps(r))
				want.push_back(&other);
			if (other.inside && other.bytes.overlaps(r) && other.writes)
				want_writers.push_back(&other);
			any_inside |= other.inside && r.covers(other.bytes);
		}
		ASSERT_EQ(overlaps_of(tree, r), want) << "round " << round;
		ASSERT_EQ(writers_of(tree, r), want_writers) << "round " << round;
		access_entry *inside = tree.first_inside(r, reinterpret_cast<node *>(1));
		ASSERT_EQ(inside != nullptr, any_inside);
		ASSERT_TRUE(!inside || (inside->inside && r.covers(inside->bytes)));
	}
}

} // namespace
