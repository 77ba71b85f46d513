// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/clock.h"
#include "micro/planted.h"
#include "micro/tables.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

namespace
{

plant with_clock()
{
	plant p;
	p.step_ns = 2;
	p.clocks_a_step = 3.5;
	return p;
}

} // namespace

TEST(clock, is_what_units_count)
{
	outcome o;
	run(o, with_clock(), "clock");
	EXPECT_NEAR(o.value("clock.busy"), 1.75, 0.01) << o.why("clock.busy");
	EXPECT_FALSE(o.records.failed());
}

TEST(clock, is_not_there_where_kernels_cant_tell)
{
	outcome o;
	run(o, plant(), "clock");
	ASSERT_EQ(o.value("clock.busy"), 0);
	EXPECT_NE(o.why("clock.busy").find("no clock"), std::string::npos);
}

// The clock goes up all the while.
TEST(clock, that_still_ramps_is_no_figure)
{
	plant p = with_clock();
	p.slow_start = 3;
	p.warm_after_s = 2e-3;
	outcome o;
	run(o, p, "clock");
	ASSERT_EQ(o.value("clock.busy"), 0);
	EXPECT_NE(o.why("clock.busy").find("ramped up"), std::string::npos) << o.why("clock.busy");
	EXPECT_NE(o.document()["warnings"].dump().find("ramped"), std::string::npos);
}

TEST(clock, that_is_throttled_is_no_figure)
{
	bench::series ghz(20, 1.98);
	EXPECT_EQ(clock_fact(ghz).is, verdict::found);
	EXPECT_EQ(clock_fact(ghz).value, 1.98);
	std::fill(ghz.begin() + 15, ghz.end(), 1.7);
	const fact f = clock_fact(ghz);
	EXPECT_EQ(f.is, verdict::disturbed);
	EXPECT_NE(f.why.find("throttled"), std::string::npos);
}

// A latency is told in clocks, too, where their frequency is known.
TEST(clock, tells_latencies_in_clocks)
{
	const json latency = {{"name", "l1.latency"}, {"unit", "ns"}, {"verdict", "found"}, {"why", ""},
			      {"value", 20.0},        {"low", 19.0},  {"high", 21.0},       {"confidence", 0.99},
			      {"claim", nullptr}};
	json busy = latency;
	busy["name"] = "clock.busy";
	busy["unit"] = "GHz";
	busy["value"] = 1.98;
	json document = {{"results", json::array()}, {"refused", json::array()}, {"warnings", json::array()}};
	document["facts"] = json::array();
	document["facts"].push_back(latency);
	EXPECT_EQ(tables_of(document).find("clocks)"), std::string::npos);
	document["facts"].push_back(busy);
	EXPECT_NE(tables_of(document).find("20.0 (40 clocks)"), std::string::npos) << tables_of(document);
}
