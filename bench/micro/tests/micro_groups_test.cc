// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/group.h"
#include "micro/growth.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

TEST(planted_groups, banks_repeat_after_what_was_planted)
{
	for (unsigned banks : {8u, 16u, 32u}) {
		for (unsigned bytes : {4u, 8u}) {
			plant p;
			p.warp = 32;
			p.banks = banks;
			p.bank_bytes = bytes;
			p.launch_ns = 500;
			outcome o;
			run(o, p, "banks");
			// Of a span of 256 bytes the sweep sees the end only, and can't say that it is one.
			EXPECT_EQ(o.value("local.span"), banks * bytes <= 128 ? banks * bytes : 0);
		}
	}
}

TEST(planted_groups, local_memory_without_banks_has_no_span)
{
	outcome o;
	run(o, {}, "banks");
	EXPECT_EQ(o.value("local.span"), 0);
	EXPECT_EQ(o.document()["facts"].size(), 2u); // the other one is the clock's
}

TEST(planted_groups, warps_are_as_wide_as_planted)
{
	for (unsigned warp : {4u, 8u, 16u, 32u}) {
		plant p;
		p.warp = warp;
		outcome o;
		run(o, p, "warp");
		EXPECT_EQ(o.value("warp.width"), warp);
	}
	plant p;
	p.warp = 1;
	outcome o;
	run(o, p, "warp");
	EXPECT_EQ(o.records.find("warp.width"), nullptr);
}

TEST(growth, the_end_of_a_sweep_is_no_answer)
{
	curve c;
	for (double x = 1; x <= 64; x *= 2)
		c.push_back({x, {x, x * 1.01, x * 0.99}});
	EXPECT_EQ(where_growth_ends("a", c, 1).is, verdict::not_found);
	for (point &p : c)
		p.samples = {5, 5.1};
	EXPECT_EQ(where_growth_ends("a", c, 1).is, verdict::not_there);
}

TEST(suite, no_test_goes_wrong_on_a_planted_device)
{
	planted_target dut({});
	outcome o;
	choice what;
	what.smallest = true;
	run(o, dut, what);
	EXPECT_FALSE(o.records.failed()) << o.document()["refused"].dump();
	EXPECT_THROW(chosen_tests({"nonsense"}), std::runtime_error);
}

TEST(growth, a_slow_rise_is_no_doubling)
{
	curve c;
	for (double x = 1; x <= 64; x *= 2)
		c.push_back({x, {100 * std::min(x, 16.0) * (x > 16 ? 1.1 : 1), 101 * std::min(x, 16.0)}});
	const fact f = where_doubling_ends("a", c, 1);
	EXPECT_EQ(f.is, verdict::found);
	EXPECT_EQ(f.value, 16);
	for (point &p : c)
		p.samples = {100 * p.x};
	EXPECT_EQ(where_doubling_ends("a", c, 1).is, verdict::not_found);
}

TEST(growth, most_is_nine_tenths_of_the_highest_rate)
{
	curve rates;
	for (double x = 64; x <= 4096; x *= 2)
		rates.push_back({x, {std::min(x, 930.0), std::min(x, 930.0) * 1.01}});
	rates.back().samples = {1000, 1010}; // 930 are enough
	const fact f = where_most_is_reached("a", rates, 1);
	EXPECT_EQ(f.is, verdict::found);
	EXPECT_EQ(f.low, 512);
	EXPECT_EQ(f.value, 1024);
	rates.back().samples = {1000, 1060}; // what is enough is a matter of the sample that is drawn
	EXPECT_EQ(where_most_is_reached("a", rates, 1).is, verdict::not_found);
	rates.resize(3);
	EXPECT_NE(where_most_is_reached("a", rates, 1).why.find("too few"), std::string::npos);
}

// What threads leave that share a word in twos, by the host's work of each kind of change.
TEST(changes, leave_what_is_right_of_them)
{
	for (const change &how : all_changes()) {
		std::vector<uint32_t> words(4 * 32);
		const argument a[] = {words.data(), 2, 5};
		how.run.host(arguments(a), 0, 8);
		EXPECT_TRUE(how.right(words[0], 2, 5)) << how.name;
		EXPECT_FALSE(how.right(0, 2, 5)) << how.name;
		EXPECT_FALSE(how.right(words[0] + 100, 2, 5)) << how.name;
	}
}

TEST(local_reads, sum_words_without_conflicts)
{
	std::vector<uint32_t> numbers(bank_words), sums(2);
	for (uint32_t i = 0; i < bank_words; i++)
		numbers[i] = i;
	const argument a[] = {numbers.data(), sums.data(), 1};
	read_local.host(arguments(a), 0, 2);
	// Thread t reads vectors t, t + 128, t + 256 and t + 384 of four words.
	EXPECT_EQ(sums[0], 4u * 6 + 16 * (128 + 256 + 384));
	EXPECT_EQ(sums[1], 4u * 6 + 16 * (4 + 128 + 256 + 384));
}
