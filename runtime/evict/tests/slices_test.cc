// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests how launches are cut into slices, on small launches of which each byte is followed.
#include "evict/slices.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace het;
using namespace het::rt;

namespace
{

constexpr uintptr_t at = 0x10000;

row_use all_of(range r, bool reads, bool writes)
{
	return {r, reads, writes};
}

row_use rows_of(range r, bool reads, bool writes, int64_t first, uint64_t step, uint64_t length)
{
	return {r, reads, writes, true, first, step, length};
}

range bytes(size_t begin, size_t n)
{
	return {at + begin, at + begin + n};
}

bool contains(const std::vector<range> &all, uintptr_t byte)
{
	return std::any_of(all.begin(), all.end(), [&](range r) { return r.contains(byte); });
}

std::vector<range> ranges_of(const slice_plan &p, unsigned w, row_span rows, bool written, size_t nuses)
{
	std::vector<range> found(nuses);
	found.resize(p.find_ranges(w, rows, written, found));
	return found;
}

// What must hold of any plan that was chosen for a budget.
void check(const slice_plan &p, std::span<const row_use> uses, size_t nrows, uint64_t budget)
{
	ASSERT_LE(p.nbytes(), budget);
	size_t rows = 0;
	for (size_t s = 0; s < p.nslices(); s++) {
		ASSERT_EQ(p.slice(s).first, rows);
		ASSERT_GE(p.slice(s).count, 1u);
		rows += p.slice(s).count;
	}
	ASSERT_EQ(rows, nrows);
	for (size_t i = 0; i < uses.size(); i++) {
		const unsigned w = p.window_of(i);
		const window &win = p.windows()[w];
		for (size_t k = 0; k < uses.size(); k++) {
			if (uses[i].bytes.overlaps(uses[k].bytes)) {
				ASSERT_EQ(p.window_of(k), w);
			}
		}
		for (size_t s = 0; s < p.nslices(); s++) {
			const range has = p.bytes_of(w, s), used = used_by(uses[i], p.slice(s));
			ASSERT_TRUE(used.empty() || has.covers(used));
			ASSERT_LE(has.size(), win.room);
			for (bool written : {false, true}) {
				if (used.empty() || !(written ? uses[i].writes : uses[i].reads))
					continue;
				const auto found = ranges_of(p, w, p.slice(s), written, uses.size());
				ASSERT_TRUE(contains(found, used.begin) && contains(found, used.end - 1));
			}
			// What another slice brings home later must not be from before this one.
			for (size_t other = s + 1; other < p.nslices() && !win.stays; other++) {
				for (range mine : ranges_of(p, w, p.slice(s), true, uses.size()))
					for (range its : ranges_of(p, w, p.slice(other), true, uses.size()))
						ASSERT_FALSE(mine.overlaps(its));
			}
		}
	}
}

TEST(slices, rows_use_what_lies_inside)
{
	const row_use u = rows_of(bytes(0, 100), true, false, -10, 10, 30);
	EXPECT_EQ(used_by(u, {0, 1}), bytes(0, 20));
	EXPECT_EQ(used_by(u, {2, 3}), bytes(10, 50));
	EXPECT_EQ(used_by(u, {9, 1}), bytes(80, 20));
	EXPECT_TRUE(used_by(u, {50, 1}).empty());
	EXPECT_EQ(used_by(all_of(bytes(5, 7), true, false), {3, 1}), bytes(5, 7));
}

TEST(slices, vector_addition_streams)
{
	constexpr size_t row = 1024, nrows = 256, n = row * nrows;
	const row_use uses[] = {rows_of(bytes(0, n), true, false, 0, row, row),
				rows_of(bytes(n, n), true, false, 0, row, row),
				rows_of(bytes(2 * n, n), false, true, 0, row, row)};
	slice_plan p;
	ASSERT_TRUE(p.take(uses, nrows));
	ASSERT_EQ(p.windows().size(), 3u);
	ASSERT_TRUE(p.choose(n, 1, eviction::stream));
	check(p, uses, nrows, n);
	EXPECT_GT(p.nslices(), 5u);
	EXPECT_LT(p.nslices(), 8u);
	for (const window &w : p.windows()) {
		EXPECT_FALSE(w.stays);
		EXPECT_EQ(w.buffers, 2u);
	}
}

// Where bytes are kept most of the memory is left for that; slices on demand take all of it, one by one.
TEST(slices, memory_is_left_for_what_is_kept)
{
	constexpr size_t row = 1024, nrows = 256, n = row * nrows;
	const row_use uses[] = {rows_of(bytes(0, n), true, false, 0, row, row),
				rows_of(bytes(n, n), true, true, 0, row, row)};
	for (eviction how : {eviction::keep, eviction::demand}) {
		slice_plan p;
		ASSERT_TRUE(p.take(uses, nrows));
		ASSERT_TRUE(p.choose(n, 1, how));
		check(p, uses, nrows, n);
		const bool one_by_one = how == eviction::demand;
		EXPECT_EQ(p.nbytes() > n - n / 50, one_by_one);
		EXPECT_EQ(p.nbytes() < n / 2, !one_by_one);
		for (const window &w : p.windows())
			EXPECT_EQ(w.buffers == 1, one_by_one);
	}
}

// The largest that leaves room for the next one's set, but no larger than pays.
TEST(slices, more_memory_makes_no_larger_slices_than_pay)
{
	constexpr size_t row = 64 << 10, nrows = 1 << 16, n = row * nrows; // is 4 GiB
	const row_use uses[] = {rows_of(bytes(0, n), true, true, 0, row, row)};
	slice_plan p;
	ASSERT_TRUE(p.take(uses, nrows));
	ASSERT_TRUE(p.choose(n / 2, 1));
	EXPECT_GE(p.nslices(), 40u);
	EXPECT_LE(p.nslices(), 50u);
	EXPECT_EQ(p.windows()[0].buffers, 3u);
}

TEST(slices, common_rows_count_for_little)
{
	constexpr size_t row = 1 << 20, nrows = 4096, n = row * nrows;
	const row_use uses[] = {rows_of(bytes(0, n), true, false, -int64_t(16 * row), row, 33 * row)};
	slice_plan p;
	ASSERT_TRUE(p.take(uses, nrows));
	ASSERT_TRUE(p.choose(n, 1));
	EXPECT_GE(p.slice(0).count, 16u * 32u);
}

TEST(slices, what_all_slices_use_stays)
{
	constexpr size_t n = 1 << 20, table = 5000;
	const row_use uses[] = {rows_of(bytes(0, n), true, true, 0, 1024, 1024), all_of(bytes(n, table), true, false),
				rows_of(bytes(n + table, 4096), true, false, 16, 0, 100)};
	slice_plan p;
	ASSERT_TRUE(p.take(uses, 1024));
	ASSERT_TRUE(p.choose(n / 2, 1));
	check(p, uses, 1024, n / 2);
	EXPECT_FALSE(p.windows()[p.window_of(0)].stays);
	EXPECT_TRUE(p.windows()[p.window_of(1)].stays);
	EXPECT_EQ(p.windows()[p.window_of(1)].bytes, bytes(n, table));
	EXPECT_TRUE(p.windows()[p.window_of(2)].stays);
	EXPECT_EQ(p.windows()[p.window_of(2)].bytes, bytes(n + table, 116)); // begins at the grain before
}

TEST(slices, aliases_share_a_window)
{
	constexpr size_t n = 1 << 20, row = 1024;
	const row_use uses[] = {rows_of(bytes(0, n), true, false, 0, row, row),
				rows_of(bytes(4 * n, n), true, false, 0, row, row),
				rows_of(bytes(row, n - row), false, true, 0, row, row),
				rows_of(bytes(n / 2, n), true, false, 0, row, row)};
	slice_plan p;
	ASSERT_TRUE(p.take(uses, 1024));
	EXPECT_EQ(p.windows().size(), 2u);
	EXPECT_EQ(p.window_of(0), p.window_of(2));
	EXPECT_EQ(p.window_of(0), p.window_of(3));
	EXPECT_NE(p.window_of(0), p.window_of(1));
	ASSERT_TRUE(p.choose(2 * n, 1));
	check(p, uses, 1024, 2 * n);
}

// Even bytes by one argument, and the odd ones of the next row by another: either's slice would bring home old bytes of
// the other's.
TEST(slices, writers_between_each_others_bytes_stay)
{
	constexpr size_t n = 64 << 10;
	const row_use apart[] = {rows_of(bytes(0, n), true, true, 0, 64, 32),
				 rows_of(bytes(0, n), true, true, 32, 64, 32)};
	const row_use mixed[] = {rows_of(bytes(0, n), true, true, 0, 64, 32),
				 rows_of(bytes(0, n), true, true, 96, 64, 32)};
	slice_plan p, q;
	ASSERT_TRUE(p.take(apart, 1024) && q.take(mixed, 1024));
	EXPECT_FALSE(p.windows()[0].stays);
	EXPECT_TRUE(q.windows()[0].stays);
	EXPECT_FALSE(q.choose(n / 2, 1));
	EXPECT_TRUE(q.choose(n, 1));
}

TEST(slices, rows_that_keep_the_device_busy_come_before_buffers)
{
	constexpr size_t row = 4096, nrows = 64, n = row * nrows;
	const row_use uses[] = {rows_of(bytes(0, n), true, true, 0, row, row)};
	slice_plan busy, any;
	ASSERT_TRUE(busy.take(uses, nrows) && any.take(uses, nrows));
	ASSERT_TRUE(busy.choose(20 * row, 15));
	EXPECT_EQ(busy.windows()[0].buffers, 1u);
	EXPECT_GE(busy.slice(0).count, 15u);
	ASSERT_TRUE(any.choose(20 * row, 1));
	EXPECT_EQ(any.windows()[0].buffers, 3u);
}

TEST(slices, the_smallest_slice_fits_and_less_does_not)
{
	constexpr size_t row = 1000, nrows = 50, n = row * nrows;
	const row_use uses[] = {rows_of(bytes(0, n), true, false, -500, row, 2000),
				rows_of(bytes(n, n), false, true, 0, row, row), all_of(bytes(2 * n, 777), true, false)};
	slice_plan p, q;
	ASSERT_TRUE(p.take(uses, nrows) && q.take(uses, nrows));
	EXPECT_FALSE(p.choose(p.smallest() - 1, 1));
	ASSERT_TRUE(q.choose(q.smallest(), 1));
	check(q, uses, nrows, q.smallest());
	EXPECT_EQ(q.nslices(), nrows);
	slice_plan whole;
	ASSERT_TRUE(whole.take(uses, nrows) && whole.choose(10 * n, 1));
	EXPECT_TRUE(whole.windows()[0].stays);
	EXPECT_EQ(whole.smallest(), q.smallest());
	EXPECT_EQ(p.smallest(), p.smallest_of(0) + p.smallest_of(1) + p.smallest_of(2));
}

// All launches of four rows with two arguments that may overlap, of all shapes and budgets.
TEST(slices, small_launches_exhaustively)
{
	constexpr size_t nrows = 4;
	size_t chosen = 0, refused = 0;
	const int64_t firsts[] = {-300, 0, 300};
	const uint64_t steps[] = {0, 300, 600}, lengths[] = {1, 300, 700};
	const bool kinds[][2] = {{true, false}, {false, true}, {true, true}};
	std::vector<row_use> shapes;
	for (auto [reads, writes] : kinds) {
		shapes.push_back(all_of(bytes(0, 2000), reads, writes));
		for (int64_t first : firsts)
			for (uint64_t step : steps)
				for (uint64_t length : lengths)
					if (!writes || length <= step)
						shapes.push_back(
							rows_of(bytes(0, 2000), reads, writes, first, step, length));
	}
	for (const row_use &one : shapes) {
		for (row_use other : shapes) {
			for (size_t apart : {0, 900, 2000}) {
				other.bytes = bytes(apart, 2000);
				for (uint64_t budget = 512; budget <= 10240; budget += 1216) {
					const row_use uses[] = {one, other};
					slice_plan p;
					ASSERT_TRUE(p.take(uses, nrows));
					const bool fits = p.smallest() <= budget;
					ASSERT_EQ(p.choose(budget, 2), fits);
					if (fits)
						check(p, uses, nrows, budget);
					(fits ? chosen : refused)++;
				}
			}
		}
	}
	EXPECT_GT(chosen, 1000u);
	EXPECT_GT(refused, 1000u);
}

} // namespace
