// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/random.h"
#include "noc/statistics.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace noc;

namespace
{

// About normal: the sum of twelve uniform numbers.
double normal(random_stream &random)
{
	double sum = -6;
	for (unsigned i = 0; i < 12; i++)
		sum += random.unit();
	return sum;
}

} // namespace

TEST(statistics, mser_leaves_out_the_ramp)
{
	random_stream random(3);
	std::vector<double> samples;
	for (unsigned i = 0; i < 100; i++)
		samples.push_back((i < 20 ? i * 2.0 : 40.0) + normal(random));
	EXPECT_NEAR(double(mser(samples)), 20, 4);
	std::vector<double> flat;
	for (unsigned i = 0; i < 100; i++)
		flat.push_back(normal(random));
	EXPECT_LT(mser(flat), 30u);
	std::vector<double> rising;
	for (unsigned i = 0; i < 100; i++)
		rising.push_back(i);
	EXPECT_EQ(mser(rising), 50u); // never settles: no more than half
}

TEST(statistics, intervals_hold_the_mean_in_95_of_100)
{
	random_stream random(4);
	unsigned inside = 0;
	constexpr unsigned trials = 2000;
	for (unsigned t = 0; t < trials; t++) {
		std::vector<double> means;
		for (unsigned i = 0; i < 5; i++)
			means.push_back(10 + normal(random));
		const estimate e = interval(means);
		inside += std::abs(e.mean - 10) <= e.half_width;
	}
	EXPECT_NEAR(inside, trials * 0.95, 5 * std::sqrt(trials * 0.95 * 0.05));
	const estimate e = interval({1, 2, 3});
	EXPECT_DOUBLE_EQ(e.mean, 2);
	EXPECT_NEAR(e.half_width, 4.303 / std::sqrt(3), 1e-9);
	EXPECT_TRUE(std::isinf(interval({1}).half_width));
}

// Samples that depend on their neighbours: single ones would give an interval that is too narrow.
TEST(statistics, batches_allow_for_dependence)
{
	random_stream random(5);
	unsigned by_batches = 0, by_samples = 0;
	constexpr unsigned trials = 300;
	for (unsigned t = 0; t < trials; t++) {
		std::vector<double> samples;
		double x = 0;
		for (unsigned i = 0; i < 1000; i++)
			samples.push_back(x = 0.9 * x + normal(random));
		const estimate b = batch_means(samples, 10), s = interval(samples);
		by_batches += std::abs(b.mean) <= b.half_width;
		by_samples += std::abs(s.mean) <= s.half_width;
	}
	EXPECT_GT(by_batches, trials * 0.85);
	EXPECT_LT(by_samples, trials * 0.6);
}

TEST(statistics, quantiles)
{
	latency_counts c;
	EXPECT_EQ(c.quantile(0.99), 0u);
	for (unsigned i = 1; i <= 100; i++)
		c.add(i);
	EXPECT_EQ(c.quantile(0.99), 99u);
	EXPECT_EQ(c.quantile(0.5), 50u);
	c.clear();
	for (uint64_t l : {1024u, 5000u, 123456u}) {
		c.clear();
		c.add(l);
		EXPECT_GE(c.quantile(1), l);
		EXPECT_LE(double(c.quantile(1)), double(l) * (1 + 1.0 / 64) + 1);
	}
}
