// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "draws.h"
#include "micro/chase.h"
#include "micro/planted.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

namespace
{

plant gpu_with_constants(std::vector<planted_cache> caches)
{
	plant p;
	p.forgets = true;
	p.launch_ns = 200;
	p.noise = 0.003;
	p.constants = std::move(caches);
	p.constant_ns = 120;
	return p;
}

planted_cache cache_of(size_t size, size_t line, double ns)
{
	planted_cache c;
	c.size = size;
	c.line = line;
	c.ways = 4;
	c.ns = ns;
	return c;
}

void expect_within(double found, double truth, double share, const char *what)
{
	EXPECT_NEAR(found / truth, 1, share) << what;
}

} // namespace

TEST(constant, caches_are_found)
{
	outcome o;
	run(o, gpu_with_constants({cache_of(2048, 64, 20), cache_of(16384, 64, 60)}), "constant-latency");
	constexpr double step = 0.122; // a sixth of an octave
	expect_within(o.value("constant.l1.size"), 2048, step, "l1.size");
	expect_within(o.value("constant.l2.size"), 16384, step, "l2.size");
	expect_within(o.value("constant.l1.latency"), 20, 0.03, "l1.latency");
	expect_within(o.value("constant.l2.latency"), 60, 0.03, "l2.latency");
	expect_within(o.value("constant.last.latency"), 120, 0.03, "last.latency");
	EXPECT_EQ(o.value("constant.l1.line"), 64) << o.why("constant.l1.line");
	EXPECT_EQ(o.value("constant.l2.line"), 64) << o.why("constant.l2.line");
}

TEST(constant, a_cache_that_holds_all_has_no_size)
{
	outcome o;
	run(o, gpu_with_constants({cache_of(131072, 64, 20)}), "constant-latency", 1 << 13);
	EXPECT_EQ(o.value("constant.l1.size"), 0);
	EXPECT_NE(o.why("constant.l1.size").find("one latency"), std::string::npos);
	expect_within(o.value("constant.last.latency"), 20, 0.03, "last.latency");
}

TEST(constant, is_said_once_not_to_be_there)
{
	outcome o;
	run(o, plant(), "constant-latency");
	ASSERT_EQ(o.document()["refused"].size(), 1u);
	EXPECT_NE(o.document()["refused"].dump().find("no constant memory"), std::string::npos);
	EXPECT_TRUE(o.records.facts().empty() || o.records.facts().front().name.starts_with("clock."));
}
