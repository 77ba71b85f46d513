// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the tests say of planted devices is true often enough. HET_TEST_FULL=1 draws hundreds, and prints the rates.
#include "draws.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <utility>

using namespace micro;

namespace
{

// A short run takes draws that leave time for other tests; a long one all, or those that HET_TEST_DRAWS names: 100 are
// the first, and 101-200 the next ones, so that a long run can be done in pieces.
struct seeds {
	unsigned first, end;
};

seeds seeds_of(unsigned first, unsigned few)
{
	const char *drawn = getenv("HET_TEST_DRAWS");
	unsigned from = 1, to = 500;
	if (!drawn)
		return getenv("HET_TEST_FULL") ? seeds{1, 501} : seeds{first, first + few};
	if (sscanf(drawn, "%u-%u", &from, &to) == 1)
		to = std::exchange(from, 1);
	return {from, to + 1};
}

void print(const rates &all)
{
	for (const auto &[kind, r] : all)
		printf("%-8s %4u: right %.3f, of these inside of the interval %.3f, confident %u, of these wrong %u\n",
		       kind.c_str(), r.all, r.of_right(), r.of_within(), r.confident, r.confident_wrong);
}

rates rates_of(seeds s, const std::function<plant(uint64_t seed)> &draw, size_t most_bytes)
{
	rates all;
	for (unsigned seed = s.first; seed < s.end; seed++) {
		std::string wrong;
		count(draw(seed), {"latency"}, all, wrong, most_bytes);
		if (!wrong.empty())
			printf("draw %u:%s\n", seed, wrong.c_str());
		if ((seed - s.first) % 20 == 19) { // a run that is cut off has told something
			printf("draws %u to %u:\n", s.first, seed);
			print(all);
		}
		fflush(stdout);
	}
	print(all);
	return all;
}

rates rates_of(nuisance how, unsigned few)
{
	return rates_of(
		seeds_of(22, few), [&](uint64_t seed) { return drawn_plant(seed, how); }, 4 << 20);
}

double share_of_wrong(const rates &all)
{
	double wrong = 0, confident = 0;
	for (const auto &[kind, r] : all) {
		wrong += r.confident_wrong;
		confident += r.confident;
	}
	return confident > 0 ? wrong / confident : 1;
}

} // namespace

// Documentation/het-bench.rst has what a long run gave, and why it is not more.
TEST(planted, quiet_devices_are_found_out)
{
	const rates all = rates_of(nuisance::quiet, 3);
	EXPECT_GE(all.at("latency").of_right(), 0.95);
	EXPECT_GE(all.at("size").of_right(), 0.87);
	EXPECT_GE(all.at("line").of_right(), 0.87);
	EXPECT_GE(all.at("fetch").of_right(), 0.87);
	EXPECT_LE(share_of_wrong(all), 0.02);
}

TEST(planted, noise_is_not_taken_for_truth)
{
	EXPECT_LE(share_of_wrong(rates_of(nuisance::noisy, 1)), 0.02);
}

// Of one whose second cache has two segments, what lies in the far one is neither in the near one nor a third cache.
TEST(planted, gpus_are_found_out)
{
	const rates all = rates_of(seeds_of(5, 1), drawn_gpu, 1 << 18);
	for (const char *kind : {"latency", "size", "line", "fetch", "segments"})
		EXPECT_GE(all.at(kind).of_right(), 0.85) << kind;
	EXPECT_LE(share_of_wrong(all), 0.02);
}

TEST(planted, a_tlb_is_told_from_a_cache)
{
	plant p;
	planted_cache l1;
	l1.size = 32768;
	l1.ns = 2;
	p.caches = {l1};
	p.pages_held = 64;
	p.page_ns = 30;
	p.memory_ns = 40;
	p.noise = 0.005;
	rates all;
	std::string wrong;
	count(p, {"latency"}, all, wrong);
	// Behind the TLB's reach each load of memory costs a page as well.
	EXPECT_EQ(all.at("reach").right, 1u) << wrong;
	EXPECT_EQ(all.at("size").right, 1u) << wrong;
	EXPECT_EQ(all.at("size").all, 1u) << wrong;
}

// A stride of a page and a line would meet in a fifth of the first cache's sets. (Like draw 255, a quarter as large.)
TEST(planted, a_cache_is_told_from_a_tlb)
{
	plant p;
	planted_cache l1, l2;
	l1.size = 20480;
	l1.ways = 4;
	l1.ns = 7;
	l2.size = 245760;
	l2.ns = 18;
	p.caches = {l1, l2};
	p.memory_ns = 31;
	p.noise = 0.005;
	rates all;
	std::string wrong;
	count(p, {"latency"}, all, wrong, 1 << 20);
	EXPECT_EQ(all.count("reach"), 0u) << wrong;
	EXPECT_EQ(all.at("size").right, 2u) << wrong;
}

// Like a GPU's: the first cache begins each launch empty and brings sectors of its lines, the second brings more.
TEST(planted, sectors_are_told_from_lines)
{
	plant p;
	planted_cache l1, l2;
	l1.size = 8192;
	l1.line = 128;
	l1.sector = 32;
	l1.ns = 20;
	l2.size = 65536;
	l2.line = 128;
	l2.sector = 64;
	l2.ways = 16;
	l2.ns = 140;
	p.caches = {l1, l2};
	p.memory_ns = 330;
	p.noise = 0.003;
	p.forgets = true;
	rates all;
	std::string wrong;
	count(p, {"latency"}, all, wrong, 1 << 19);
	for (const char *kind : {"line", "fetch", "size"})
		EXPECT_EQ(all.at(kind).right, 2u) << kind << wrong;
	EXPECT_EQ(all.at("latency").right, 3u) << wrong;
}

// Pairs of loads lie in few sets of the second cache, and how many lines share one is a matter of where pages lie: that
// must not be taken for what a load finds. (Draw 4, an eighth as large.)
TEST(planted, where_pages_lie_is_not_what_a_miss_brings)
{
	plant p;
	planted_cache l1, l2;
	l1.size = 14336;
	l1.line = 32;
	l1.ways = 4;
	l1.least_recent = false;
	l1.ns = 1.6;
	l2.size = 86016;
	l2.ways = 16;
	l2.pages_anywhere = true;
	l2.ns = 4.6;
	p.caches = {l1, l2};
	p.memory_ns = 20;
	p.noise = 0.003;
	rates all;
	std::string wrong;
	for (p.seed = 2; p.seed <= 3; p.seed++)
		count(p, {"latency"}, all, wrong, 1 << 19);
	EXPECT_EQ(all.at("fetch").right, 4u) << wrong;
}
