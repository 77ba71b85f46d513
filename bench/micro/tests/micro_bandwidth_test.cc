// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

namespace
{

double best(outcome &o, const std::string &prefix)
{
	double most = 0;
	for (const json &r : o.document()["results"])
		if (r.at("name").get<std::string>().starts_with(prefix))
			most = std::max(most, r.at("median").get<double>());
	return most;
}

} // namespace

// Words that a cache holds come faster than memory has them: 4 bytes in 64 that it moves at 10 bytes a ns.
TEST(planted_bandwidth, of_a_cache_is_not_that_of_memory)
{
	plant p;
	planted_cache l1;
	l1.size = 8192;
	l1.ns = 2;
	p.caches = {l1};
	p.launch_ns = 1;
	p.noise = 0;
	p.tick_ns = 0.01;
	planted_target dut(p);
	choice what;
	what.only = {"cache-bandwidth"};
	what.smallest = true; // a cache is fast, and the model of one slow
	outcome o;
	o.records.add({.name = "l1.size", .unit = "bytes", .is = verdict::found, .value = 8192}, nullptr);
	run(o, dut, what);
	EXPECT_FALSE(o.records.failed()) << o.document()["refused"].dump();
	EXPECT_GT(best(o, "bandwidth/cache/read/random/"), 4 * 10.0 * 4 / 64) << o.document().dump();
	EXPECT_GT(best(o, "bandwidth/cache/write/random/"), 4 * 10.0 * 4 / 64);
}

TEST(planted_bandwidth, of_a_cache_takes_one)
{
	outcome o;
	run(o, {}, "cache-bandwidth");
	EXPECT_EQ(best(o, "bandwidth/cache/"), 0);
	EXPECT_NE(o.document()["refused"].dump().find("no cache is known"), std::string::npos);
}
