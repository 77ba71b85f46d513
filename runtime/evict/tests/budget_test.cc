// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/budget.h"

#include <gtest/gtest.h>

using namespace het::rt;

namespace
{

constexpr uint64_t kib = 1024, mib = kib * kib, gib = kib * mib;

budget_setting found(const char *text, unsigned number)
{
	budget_setting s;
	EXPECT_TRUE(find_budget(text, number, s)) << text;
	return s;
}

constexpr budget_setting usual = {};

budget_setting bytes(uint64_t n)
{
	return {budget_setting::bytes, n};
}

budget_setting percent(uint64_t n)
{
	return {budget_setting::percent, n};
}

} // namespace

TEST(budget, one_entry_is_for_all)
{
	for (unsigned device : {0u, 1u, 7u}) {
		EXPECT_EQ(found(nullptr, device), usual);
		EXPECT_EQ(found("", device), usual);
		EXPECT_EQ(found("4096", device), bytes(4096));
		EXPECT_EQ(found("3K", device), bytes(3 * kib));
		EXPECT_EQ(found("3M", device), bytes(3 * mib));
		EXPECT_EQ(found("3G", device), bytes(3 * gib));
		EXPECT_EQ(found("75%", device), percent(75));
	}
}

TEST(budget, entries_are_by_device)
{
	constexpr char text[] = "4G,,50%,0";
	EXPECT_EQ(found(text, 0), bytes(4 * gib));
	EXPECT_EQ(found(text, 1), usual);
	EXPECT_EQ(found(text, 2), percent(50));
	EXPECT_EQ(found(text, 3), bytes(0));
	EXPECT_EQ(found(text, 4), usual);
	EXPECT_EQ(found("4G,", 0), bytes(4 * gib));
	EXPECT_EQ(found("4G,", 1), usual);
}

// It does not matter for whom the wrong entry is.
TEST(budget, what_is_wrong_is_found)
{
	for (const char *wrong : {"x", "4X", "4GB", "-1", " 4", "4 ", "0%", "101%", "%", "G", "1.5G", "4G,x", "4G,5%%",
				  "99999999999999999999", "17179869184G", "18014398509481984K"}) {
		budget_setting s;
		EXPECT_FALSE(find_budget(wrong, 0, s)) << wrong;
	}
	EXPECT_EQ(found("17179869183G", 0), bytes(17179869183 * gib));
}

TEST(budget, percentages_are_of_all)
{
	EXPECT_EQ(bytes_of(percent(100), 1001, no_limit), 1001u);
	EXPECT_EQ(bytes_of(percent(50), 1001, 10), 500u);
	EXPECT_EQ(bytes_of(percent(1), 199, no_limit), 1u);
	EXPECT_EQ(bytes_of(percent(100), UINT64_MAX, no_limit), UINT64_MAX);
	EXPECT_EQ(bytes_of(percent(50), 0, no_limit), no_limit);
	EXPECT_EQ(bytes_of(bytes(77), 1000, 10), 77u);
}

// A little is left to others, and never all.
TEST(budget, usual_is_what_is_free)
{
	EXPECT_EQ(bytes_of(usual, 80 * gib, no_limit), no_limit);
	EXPECT_EQ(bytes_of(usual, 80 * gib, 64 * gib), 62 * gib);
	EXPECT_EQ(bytes_of(usual, gib, gib), gib - 64 * mib);
	for (uint64_t free : {uint64_t{0}, mib, 63 * mib, 128 * mib, 129 * mib, gib, 141 * gib}) {
		EXPECT_LE(bytes_of(usual, 0, free), free);
		EXPECT_GE(bytes_of(usual, 0, free), free / 2);
	}
}
