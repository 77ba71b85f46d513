// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/noted_pages.h"

#include <gtest/gtest.h>
#include <vector>

using namespace het::rt;
using het::ptx::page_bytes;

namespace
{

device_arg argument(uint64_t buffer, size_t offset, size_t nbytes, uint32_t access)
{
	return {HET_ARG_RANGE, access, nbytes, nullptr, reinterpret_cast<void *>(buffer), offset};
}

// Sets the flags of the pages @set, counted from the first that is followed, and has them read.
void read(noted_pages &p, std::initializer_list<uint64_t> set)
{
	std::vector<char> flags(p.flag_bytes());
	for (uint64_t n : set)
		flags[het::ptx::page_flag(n, p.table(0).stride)] = 1;
	p.read(flags.data());
}

} // namespace

TEST(noted_pages, arguments_by_access)
{
	const device_arg args[] = {argument(10 * page_bytes, 512, page_bytes, HET_READ_WRITE),
				   argument(2 * page_bytes, 0, 100, HET_READ_ONLY),
				   argument(300 * page_bytes, 0, page_bytes, HET_WRITE_ONLY),
				   {HET_ARG_VALUE, 0, 8, nullptr, nullptr, 0}};
	noted_pages written, used;
	ASSERT_TRUE(written.follow(args, HET_WRITE_ONLY));
	ASSERT_TRUE(used.follow(args, HET_READ_WRITE));
	EXPECT_EQ(written.count(), 3u);
	EXPECT_EQ(used.count(), 4u);
	auto table = written.table(0x1000);
	EXPECT_EQ(table.base, 10 * page_bytes);
	EXPECT_EQ(table.size, 291 * page_bytes);
	EXPECT_EQ(table.flags, 0x1000u);
	EXPECT_EQ(written.flag_bytes(), 64u * table.stride);
}

TEST(noted_pages, notes)
{
	const device_arg args[] = {argument(10 * page_bytes, 512, 4 * page_bytes, HET_READ_WRITE),
				   argument(100 * page_bytes, 0, page_bytes, HET_WRITE_ONLY)};
	noted_pages p;
	ASSERT_TRUE(p.follow(args, HET_WRITE_ONLY));
	read(p, {1, 50, 90}); // 50 belongs to no argument
	EXPECT_EQ(p.count(), 6u);
	EXPECT_EQ(p.noted(), 2u);
	EXPECT_FALSE(p.is_noted(10 * page_bytes + 512, page_bytes - 512));
	EXPECT_TRUE(p.is_noted(10 * page_bytes + 512, page_bytes));
	EXPECT_TRUE(p.is_noted(11 * page_bytes + 5, 1));
	EXPECT_FALSE(p.is_noted(12 * page_bytes, 2 * page_bytes));
	EXPECT_TRUE(p.is_noted(100 * page_bytes, 1));
	// Outside of what is followed nothing is known.
	EXPECT_TRUE(p.is_noted(9 * page_bytes, 1));
	EXPECT_TRUE(p.is_noted(100 * page_bytes, page_bytes + 1));
}

TEST(noted_pages, nothing_to_follow)
{
	const device_arg args[] = {argument(10 * page_bytes, 0, 100, HET_READ_ONLY)};
	noted_pages p;
	ASSERT_TRUE(p.follow(args, HET_WRITE_ONLY));
	EXPECT_EQ(p.flag_bytes(), 0u);
	EXPECT_EQ(p.table(0x1000).flags, 0u);
	p.read(nullptr);
	EXPECT_TRUE(p.is_noted(10 * page_bytes, 1));
	EXPECT_EQ(p.count(), 0u);
}

TEST(noted_pages, too_far_apart)
{
	const device_arg args[] = {argument(page_bytes, 0, 1, HET_READ_WRITE),
				   argument(uint64_t{1} << 46, 0, 1, HET_READ_WRITE)};
	noted_pages p;
	EXPECT_FALSE(p.follow(args, HET_WRITE_ONLY));
	EXPECT_EQ(p.flag_bytes(), 0u);
}
