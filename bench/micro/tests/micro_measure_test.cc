// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/measure.h"
#include "micro/random.h"
#include "micro/recorder.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace micro;

namespace
{

// A device whose launches take @launch ns and whose units of work @unit each, by a clock with ticks of @tick.
struct timed {
	double launch = 5000, unit = 2, tick = 1;
	double noise = 0;
	double seconds = 0;
	random_stream random{7};

	double operator()(uint64_t work)
	{
		const double took = (launch + unit * double(work)) * (1 + noise * (random.unit() - 0.5));
		seconds += took * 1e-9;
		return std::floor(took / tick) * tick;
	}
	figure measure(const rules &how)
	{
		return per_unit(std::ref(*this), how, [this] { return seconds; });
	}
};

} // namespace

TEST(per_unit, does_not_count_the_launch)
{
	timed t;
	const figure f = t.measure({});
	ASSERT_TRUE(f.there()) << f.trouble;
	EXPECT_NEAR(f.at.median, 2, 1e-6);
	EXPECT_GE(double(f.work) * t.unit, 1e6 - t.launch);
	EXPECT_TRUE(f.reached);
}

TEST(per_unit, looks_for_work_that_outweighs_a_launch)
{
	timed t{.launch = 5e6, .unit = 1};
	const figure f = t.measure({.seconds = 10});
	ASSERT_TRUE(f.there()) << f.trouble;
	EXPECT_NEAR(f.at.median, 1, 1e-6);
}

TEST(per_unit, refuses_work_that_was_removed)
{
	timed t{.unit = 0};
	const figure f = t.measure({});
	EXPECT_FALSE(f.there());
	EXPECT_NE(f.trouble.find("1.00 times as long"), std::string::npos) << f.trouble;
	EXPECT_NE(f.cure.find("compiler"), std::string::npos);
}

TEST(per_unit, refuses_a_clock_that_is_too_coarse)
{
	timed t{.tick = 1e12};
	EXPECT_FALSE(t.measure({}).there());
}

TEST(per_unit, refuses_a_device_that_slows_down)
{
	const auto run = [](uint64_t work) { return double(work) * double(work); };
	const figure f = per_unit(run, {.most = 20}, [] { return 0.0; });
	EXPECT_FALSE(f.there());
	EXPECT_NE(f.cure.find("cool"), std::string::npos) << f.cure;
}

TEST(per_unit, ends_when_the_time_is_spent_and_says_so)
{
	timed t{.noise = 0.5};
	const figure f = t.measure({.precision = 1e-9, .seconds = 0.05, .most = 100000});
	EXPECT_FALSE(f.reached);
	EXPECT_LT(t.seconds, 0.3);
	EXPECT_LT(f.at.low, 2);
	EXPECT_GT(f.at.high, 2);
}

TEST(per_unit, repeats_until_it_is_precise)
{
	timed t{.noise = 0.05};
	const figure f = t.measure({.precision = 0.005, .seconds = 100, .most = 10000});
	EXPECT_TRUE(f.reached);
	EXPECT_GT(f.samples.size(), 9u);
	EXPECT_LE(f.at.high - f.at.low, 0.01 * f.at.median * 1.0001);
	EXPECT_NEAR(f.at.median, 2, 0.02);
}

TEST(repeated, takes_the_median_with_its_interval)
{
	double next = 0;
	const figure f = repeated([&] { return ++next; }, {.seconds = 100, .least = 9, .most = 9}, [] { return 0.0; });
	EXPECT_EQ(f.at.median, 5);
	EXPECT_EQ(f.at.low, 2); // P(X <= 1) of 9 throws of a coin is 2 %
	EXPECT_EQ(f.at.high, 8);
	EXPECT_FALSE(f.reached);
}

TEST(tick_of, is_the_smallest_step)
{
	EXPECT_EQ(tick_of({300, 100, 100, 164, 228}), 64);
	EXPECT_EQ(tick_of({5, 5}), 0);
}

TEST(rate_of, turns_the_interval_round)
{
	figure f;
	f.samples = {1, 2, 4};
	f.at.median = 2;
	f.at.low = 1;
	f.at.high = 4;
	const figure r = rate_of(f, 8);
	EXPECT_EQ(r.at.median, 4);
	EXPECT_EQ(r.at.low, 2);
	EXPECT_EQ(r.at.high, 8);
	EXPECT_EQ(r.samples, (bench::series{8, 4, 2}));
}

TEST(recorder, keeps_refused_figures_out_of_the_results)
{
	bench::report out("test", {});
	recorder r(out);
	figure f;
	f.trouble = "it rains";
	f.cure = "wait";
	r.add("a/1", "ns", f);
	EXPECT_TRUE(out.document().at("results").empty());
	EXPECT_EQ(out.document().at("refused")[0].at("reason").get<std::string>(), "it rains");
	EXPECT_EQ(r.refused(), 1u);
}

TEST(recorder, a_fact_that_was_not_found_has_no_value)
{
	bench::report out("test", {});
	recorder r(out);
	r.add(fact{.name = "l3.size", .unit = "bytes", .is = verdict::disturbed, .value = 5}, 7);
	EXPECT_FALSE(out.document().at("facts")[0].contains("value"));
	EXPECT_TRUE(out.document().at("results").empty());
	EXPECT_EQ(r.find("l3.size"), nullptr);
	r.add(fact{.name = "l1.size", .unit = "bytes", .is = verdict::found, .value = 5}, 7);
	EXPECT_EQ(out.document().at("facts")[1].at("value").get<double>(), 5);
	ASSERT_NE(r.find("l1.size"), nullptr);
}
