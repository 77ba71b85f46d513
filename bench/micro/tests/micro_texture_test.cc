// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/planted.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

// What a texture costs more shows in each level.
TEST(texture, caches_and_latencies_are_found)
{
	plant p;
	planted_cache l1;
	l1.size = 8192;
	l1.ns = 20;
	p.caches = {l1};
	p.memory_ns = 200;
	p.texture_ns = 10;
	p.forgets = true;
	p.launch_ns = 200;
	p.noise = 0.003;
	outcome o;
	run(o, p, "texture-latency", 1 << 16);
	EXPECT_NEAR(o.value("texture.l1.size") / 8192, 1, 0.122) << o.why("texture.l1.size");
	EXPECT_NEAR(o.value("texture.l1.latency"), 30, 1) << o.why("texture.l1.latency");
	EXPECT_NEAR(o.value("texture.last.latency"), 210, 7) << o.why("texture.last.latency");
}

TEST(texture, is_said_not_to_be_there)
{
	for (const char *test : {"texture-latency", "texture-bandwidth"}) {
		outcome o;
		run(o, plant(), test);
		ASSERT_EQ(o.document()["refused"].size(), 1u) << test;
		EXPECT_NE(o.document()["refused"].dump().find("no textures"), std::string::npos) << test;
	}
}
