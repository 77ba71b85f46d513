// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Whether a GPU's last cache is one, or has segments that units are near to, and what loads take that it never serves.
#include "micro/segments.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

namespace
{

// Groups of which every @nth is near.
curve groups(unsigned n, unsigned nth, double near, double far)
{
	curve c;
	for (unsigned g = 0; g < n; g++)
		c.push_back({double(g), {(g % nth ? far : near) * (1 + 0.001 * (g % 5))}});
	return c;
}

// Like a GPU with a first cache for each unit and a second one for all.
plant gpu()
{
	plant p;
	planted_cache l1, l2;
	l1.size = 2560;
	l1.ways = 4;
	l1.ns = 20;
	l2.size = 24576;
	l2.ways = 16;
	l2.ns = 140;
	p.caches = {l1, l2};
	p.memory_ns = 330;
	p.noise = 0.003;
	p.forgets = true;
	p.units = 8;
	return p;
}

// A small buffer leaves time for other tests.
void run(outcome &o, const plant &p)
{
	run(o, p, "latency", 1 << 17);
}

} // namespace

TEST(segments, follow_from_what_is_near)
{
	EXPECT_EQ(segments_fact("l2.segments", groups(32, 2, 143, 180), 143, 335).value, 2);
	EXPECT_GE(segments_fact("l2.segments", groups(32, 2, 143, 180), 143, 335).confidence, 0.85);
	EXPECT_EQ(segments_fact("l2.segments", groups(32, 4, 143, 180), 143, 335).value, 4);
	// Where no footprint shows what near data take, what the own group has brought does.
	EXPECT_EQ(segments_fact("l2.segments", groups(32, 2, 186, 220), 254, 335).value, 2);
	const fact one = segments_fact("l2.segments", groups(32, 2, 143, 144), 143, 335);
	EXPECT_EQ(one.is, verdict::found);
	EXPECT_EQ(one.value, 1);
}

TEST(segments, are_not_made_up)
{
	// Each unit has a cache of its own.
	EXPECT_EQ(segments_fact("l2.segments", groups(32, 2, 330, 335), 143, 335).is, verdict::not_found);
	EXPECT_EQ(segments_fact("l2.segments", {}, 143, 335).is, verdict::not_found);
	// There are all times between the two.
	curve slope;
	for (unsigned g = 0; g < 32; g++)
		slope.push_back({double(g), {143.0 + 2 * g}});
	EXPECT_EQ(segments_fact("l2.segments", slope, 143, 335).is, verdict::disturbed);
}

TEST(planted_segments, two_are_told_from_one)
{
	plant p = gpu();
	p.caches[1].segments = 2;
	p.caches[1].far_ns = 190;
	outcome two;
	run(two, p);
	EXPECT_EQ(two.value("l2.segments"), 2);
	EXPECT_NEAR(two.value("l2.size"), 24576, 3000); // of the near one
	EXPECT_NEAR(two.value("l2.latency"), 140, 3);
}

// A cache that replaces any line keeps some of a footprint that is several times as large.
TEST(planted_segments, memory_shows_where_a_cache_goes_on_to_serve_some)
{
	plant p = gpu();
	p.caches[1].size = 49152;
	p.caches[1].ways = 48;
	p.caches[1].least_recent = false;
	outcome o;
	run(o, p);
	ASSERT_NE(o.records.find("memory.latency"), nullptr);
	EXPECT_NEAR(o.value("memory.latency"), 330, 6);
	EXPECT_NE(o.records.find("memory.latency")->why.find("not visited"), std::string::npos);
}
