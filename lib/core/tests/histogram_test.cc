// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/histogram.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using het::histogram;

namespace
{

constexpr uint64_t too_long = uint64_t{1} << 39;
constexpr double shares[] = {0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};

// Computes a quantile from the samples themselves: the first one with more than the share @q before or at it.
uint64_t exact(const std::vector<uint64_t> &sorted, double q)
{
	return sorted[std::min(size_t(q * double(sorted.size())), sorted.size() - 1)];
}

void expect_quantiles(std::vector<uint64_t> samples)
{
	histogram h;
	for (uint64_t s : samples)
		h.add(s);
	std::sort(samples.begin(), samples.end());
	EXPECT_EQ(h.count(), samples.size());
	EXPECT_EQ(h.min(), samples.front());
	EXPECT_EQ(h.max(), samples.back());
	for (double q : shares) {
		uint64_t want = exact(samples, q), got = h.quantile(q);
		EXPECT_GE(got, want) << q;
		EXPECT_LE(got - want, want / 8) << q;
	}
	EXPECT_EQ(h.quantile(1), samples.back());
}

std::vector<uint64_t> draw(size_t n, std::function<uint64_t(std::mt19937_64 &)> next)
{
	std::mt19937_64 random(n);
	std::vector<uint64_t> samples(n);
	for (uint64_t &s : samples)
		s = next(random);
	return samples;
}

TEST(histogram, knows_nothing_at_first)
{
	histogram h;
	EXPECT_EQ(h.count(), 0u);
	EXPECT_EQ(h.min(), 0u);
	EXPECT_EQ(h.max(), 0u);
	for (double q : shares)
		EXPECT_EQ(h.quantile(q), 0u);
}

TEST(histogram, one_sample_is_every_quantile)
{
	for (uint64_t ns = 0; ns < too_long; ns += 1 + ns / 3) {
		SCOPED_TRACE(ns);
		expect_quantiles({ns});
	}
}

TEST(histogram, small_values_are_exact)
{
	for (uint64_t ns = 0; ns < 16; ns++) {
		histogram h;
		h.add(ns);
		EXPECT_EQ(h.quantile(0.5), ns);
	}
}

TEST(histogram, errs_by_an_eighth_at_most_at_every_bucket_edge)
{
	for (unsigned bit = 0; bit < 39; bit++) {
		uint64_t power = uint64_t{1} << bit;
		for (uint64_t part = 0; part <= 8; part++) {
			uint64_t edge = power + part * power / 8;
			for (uint64_t ns : {edge - 1, edge, edge + 1}) {
				if (ns >= too_long)
					continue;
				SCOPED_TRACE(ns);
				expect_quantiles({ns});
			}
		}
	}
}

TEST(histogram, agrees_with_sorted_samples)
{
	for (size_t n : {2, 3, 10, 1000, 30000}) {
		SCOPED_TRACE(n);
		expect_quantiles(draw(n, [](auto &r) { return r() % 20; }));
		expect_quantiles(draw(n, [](auto &r) { return 10000 + r() % 5000; }));
		expect_quantiles(draw(n, [](auto &r) { return r() % too_long; }));
		expect_quantiles(draw(n, [](auto &r) { return (r() | 1) >> (25 + r() % 39); }));
		expect_quantiles(draw(n, [](auto &r) { return r() % 100 ? 12000 : 3000000; }));
	}
}

TEST(histogram, the_longest_share_a_bucket)
{
	histogram h;
	for (uint64_t ns : {too_long, too_long + 1, uint64_t{1} << 50, ~uint64_t{0} - 1})
		h.add(ns);
	EXPECT_EQ(h.count(), 4u);
	EXPECT_EQ(h.min(), too_long);
	EXPECT_EQ(h.max(), ~uint64_t{0} - 1);
	EXPECT_EQ(h.quantile(0), h.quantile(0.99));
	EXPECT_GE(h.quantile(0.5), too_long - too_long / 8);
	EXPECT_EQ(h.quantile(1), h.max());
}

TEST(histogram, counts_what_all_threads_add)
{
	constexpr unsigned threads = 4, each = 20000;
	histogram h;
	std::vector<std::thread> adders;
	for (unsigned t = 0; t < threads; t++)
		adders.emplace_back([&h, t] {
			for (unsigned i = 0; i < each; i++)
				h.add(1000 + i * threads + t);
		});
	// A reader sees nothing meanwhile that was never added.
	while (h.count() < threads * each / 2) {
		uint64_t min = h.min(), max = h.max();
		EXPECT_TRUE(min == 0 || (min >= 1000 && min < 1000 + threads * each)) << min;
		EXPECT_LT(max, 1000 + threads * each);
		EXPECT_LE(h.quantile(0.5), (1000 + threads * each) * 9 / 8);
	}
	for (auto &t : adders)
		t.join();
	EXPECT_EQ(h.count(), threads * each);
	EXPECT_EQ(h.min(), 1000u);
	EXPECT_EQ(h.max(), 1000u + threads * each - 1);
	uint64_t middle = 1000 + threads * each / 2;
	EXPECT_GE(h.quantile(0.5), middle);
	EXPECT_LE(h.quantile(0.5), middle + middle / 8);
}

} // namespace
