// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/rect.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace het::rt
{

namespace
{

std::set<uintptr_t> bytes_of(const rect &r)
{
	std::set<uintptr_t> all;
	for (size_t z = 0; z < r.planes; z++)
		for (size_t y = 0; y < r.rows; y++)
			for (size_t x = 0; x < r.bytes; x++)
				all.insert(r.begin + z * r.slice_pitch + y * r.row_pitch + x);
	return all;
}

bool have_common(const std::set<uintptr_t> &a, const std::set<uintptr_t> &b)
{
	for (uintptr_t byte : a)
		if (b.count(byte))
			return true;
	return false;
}

rect any_rect(std::mt19937 &random)
{
	auto below = [&](size_t n) { return size_t(random() % n); };
	for (;;) {
		size_t origin[3] = {below(5), below(3), below(3)};
		size_t region[3] = {1 + below(4), 1 + below(4), 1 + below(3)};
		size_t row = below(2) ? region[0] + below(4) : 0;
		size_t plane = below(2) ? region[1] * (row ? row : region[0]) + below(6) : 0;
		rect r;
		if (r.place(1000 + below(20), origin, region, row, plane))
			return r;
	}
}

} // namespace

TEST(rect, overlaps_where_a_byte_is_in_both)
{
	std::mt19937 random(1);
	int both[2] = {};
	for (int i = 0; i < 5000; i++) {
		rect a = any_rect(random), b = any_rect(random);
		bool common = have_common(bytes_of(a), bytes_of(b));
		EXPECT_EQ(a.overlaps(b), common);
		EXPECT_EQ(b.overlaps(a), common);
		both[common]++;
	}
	EXPECT_GT(both[0], 100);
	EXPECT_GT(both[1], 100);
}

TEST(rect, rows_hull_and_runs)
{
	std::mt19937 random(2);
	for (int i = 0; i < 1000; i++) {
		rect r = any_rect(random);
		std::set<uintptr_t> want = bytes_of(r), by_row, by_run;
		for (size_t k = 0; k < r.count(); k++)
			for (uintptr_t at = r.row(k).begin; at < r.row(k).end; at++)
				EXPECT_TRUE(by_row.insert(at).second);
		EXPECT_EQ(by_row, want);
		EXPECT_EQ(r.hull().begin, *want.begin());
		EXPECT_EQ(r.hull().end, *want.rbegin() + 1);
		EXPECT_EQ(r.is_solid(), r.hull().size() == want.size());
		uintptr_t last = 0;
		EXPECT_EQ(r.for_runs(2,
				     [&](range run) {
					     EXPECT_TRUE(!last || run.begin - last >= 2);
					     last = run.end;
					     for (uintptr_t at = run.begin; at < run.end; at++)
						     by_run.insert(at);
					     return 0;
				     }),
			  0);
		for (uintptr_t at : want)
			EXPECT_TRUE(by_run.count(at));
	}
}

TEST(rect, runs_stop)
{
	const size_t origin[3] = {}, region[3] = {1, 5, 1};
	rect r;
	ASSERT_TRUE(r.place(100, origin, region, 10, 0));
	int calls = 0;
	EXPECT_EQ(r.for_runs(1, [&](range) { return ++calls == 2 ? -7 : 0; }), -7);
	EXPECT_EQ(calls, 2);
}

TEST(rect, what_is_refused)
{
	const size_t origin[3] = {1, 1, 1}, region[3] = {4, 3, 2};
	rect r;
	EXPECT_TRUE(r.place(0, origin, region, 4, 12));
	EXPECT_FALSE(r.place(0, origin, region, 3, 0));
	EXPECT_FALSE(r.place(0, origin, region, 5, 14));
	for (int d = 0; d < 3; d++) {
		size_t none[3] = {4, 3, 2}, far[3] = {}, large[3] = {4, 3, 2};
		none[d] = 0;
		EXPECT_FALSE(r.place(0, origin, none, 0, 0));
		far[d] = SIZE_MAX;
		EXPECT_FALSE(r.place(100, far, region, 0, 0));
		large[d] = SIZE_MAX;
		EXPECT_FALSE(r.place(100, origin, large, 0, 0));
	}
	EXPECT_FALSE(r.place(100, origin, region, SIZE_MAX, 0));
	EXPECT_FALSE(r.place(100, origin, region, 0, SIZE_MAX));
	EXPECT_FALSE(r.place(UINTPTR_MAX - 10, origin, region, 0, 0));
}

} // namespace het::rt
