// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/extents.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

using het::extents;

namespace
{

constexpr uint64_t page = 4096;

struct piece {
	uint64_t offset;
	size_t n;
};

// What is free, page by page.
class model
{
      public:
	explicit model(uint64_t pages) : used_(pages) {}

	// Sizes of the gaps into which the piece would fit, by their first page.
	std::map<size_t, size_t> gaps_for(size_t n, size_t align) const
	{
		std::map<size_t, size_t> fitting;
		for (size_t first = 0; first < used_.size();) {
			size_t end = first;
			while (end < used_.size() && !used_[end])
				end++;
			size_t aligned = (first * page + align - 1) / align * align;
			if (end > first && aligned + n <= end * page)
				fitting[first] = end - first;
			first = end + 1;
		}
		return fitting;
	}
	// False: some of it was not as it should be before.
	bool change(piece p, bool use)
	{
		if (p.offset + p.n > used_.size() * page)
			return false;
		bool right = true;
		for (uint64_t at = p.offset / page; at < (p.offset + p.n) / page; at++) {
			right &= used_[at] != use;
			used_[at] = use;
		}
		return right;
	}

      private:
	std::vector<bool> used_;
};

// @offset lies in the smallest gap that has room.
bool is_best(const std::map<size_t, size_t> &gaps, uint64_t offset)
{
	auto gap = gaps.upper_bound(offset / page);
	if (gap == gaps.begin())
		return false;
	size_t taken = std::prev(gap)->second;
	for (auto [first, size] : gaps) {
		if (size < taken)
			return false;
	}
	return true;
}

TEST(extents, nothing_is_free_before_open)
{
	extents e;
	uint64_t offset;
	EXPECT_FALSE(e.allocate(page, page, &offset));
}

TEST(extents, hands_out_all_and_no_more)
{
	extents e;
	e.open(0, 8 * page);
	uint64_t offset;
	EXPECT_FALSE(e.allocate(8 * page + 1, 1, &offset));
	ASSERT_TRUE(e.allocate(8 * page, page, &offset));
	EXPECT_EQ(offset, 0u);
	EXPECT_FALSE(e.allocate(page, page, &offset));
	e.release(0, 8 * page);
	EXPECT_TRUE(e.allocate(8 * page, page, &offset));
}

TEST(extents, neighbours_merge_in_every_order)
{
	for (const auto &order : {std::vector{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
		extents e;
		e.open(0, 3 * page);
		uint64_t offset;
		for (int i = 0; i < 3; i++)
			ASSERT_TRUE(e.allocate(page, page, &offset));
		for (int i : order)
			e.release(uint64_t(i) * page, page);
		EXPECT_TRUE(e.allocate(3 * page, page, &offset));
	}
}

TEST(extents, alignment_leaves_the_rest_free)
{
	extents e;
	e.open(0, 64 * page);
	uint64_t a, b, c;
	ASSERT_TRUE(e.allocate(page, page, &a));
	ASSERT_TRUE(e.allocate(16 * page, 16 * page, &b));
	EXPECT_EQ(b, 16 * page);
	// The gap before it is the best fit for what is small.
	ASSERT_TRUE(e.allocate(15 * page, page, &c));
	EXPECT_EQ(c, page);
	EXPECT_TRUE(e.allocate(32 * page, 32 * page, &c));
	EXPECT_FALSE(e.allocate(page, 0x80000000, &c));
}

TEST(extents, sizes_that_overflow_do_not_fit)
{
	extents e;
	e.open(0, 64 * page);
	uint64_t offset;
	ASSERT_TRUE(e.allocate(page, page, &offset));
	for (size_t n : {SIZE_MAX, SIZE_MAX - page + 1, SIZE_MAX - 16 * page + 1, SIZE_MAX / 2})
		EXPECT_FALSE(e.allocate(n, 16 * page, &offset)) << n;
	ASSERT_TRUE(e.allocate(63 * page, page, &offset));
	EXPECT_EQ(offset, page);
}

TEST(extents, agree_with_a_page_map)
{
	constexpr uint64_t pages = 3000;
	std::mt19937_64 random(1);
	extents e;
	e.open(0, pages * page);
	model m(pages);
	std::vector<piece> pieces;
	for (int round = 0; round < 8000; round++) {
		bool grow = random() % 8 < (round / 1000 % 2 ? 3 : 5);
		if (grow) {
			piece p{0, (1 + random() % (random() % 20 ? 12 : 200)) * page};
			size_t align = page << random() % (random() % 4 ? 2 : 7);
			auto gaps = m.gaps_for(p.n, align);
			ASSERT_EQ(e.allocate(p.n, align, &p.offset), !gaps.empty());
			if (gaps.empty())
				continue;
			ASSERT_EQ(p.offset % align, 0u);
			ASSERT_TRUE(is_best(gaps, p.offset));
			ASSERT_TRUE(m.change(p, true)) << "given twice";
			pieces.push_back(p);
		} else if (!pieces.empty()) {
			std::swap(pieces[random() % pieces.size()], pieces.back());
			e.release(pieces.back().offset, pieces.back().n);
			ASSERT_TRUE(m.change(pieces.back(), false));
			pieces.pop_back();
		}
	}
	for (piece p : pieces)
		e.release(p.offset, p.n);
	uint64_t offset;
	EXPECT_TRUE(e.allocate(pages * page, page, &offset)) << "one extent is left";
	EXPECT_FALSE(e.allocate(1, 1, &offset));
}

TEST(extents, many_gaps)
{
	// More than the table holds at first.
	constexpr uint64_t pieces = 1000;
	extents e;
	e.open(0, 2 * pieces * page);
	uint64_t offset;
	for (uint64_t i = 0; i < 2 * pieces; i++)
		ASSERT_TRUE(e.allocate(page, page, &offset));
	for (uint64_t i = 0; i < pieces; i++)
		e.release(2 * i * page, page);
	EXPECT_FALSE(e.allocate(2 * page, page, &offset));
	for (uint64_t i = 0; i < pieces; i++)
		e.release((2 * i + 1) * page, page);
	EXPECT_TRUE(e.allocate(2 * pieces * page, page, &offset));
}

} // namespace
