// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/resident.h"
#include "outcome.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace micro;

TEST(resident, is_the_last_number_that_takes_as_long_as_one)
{
	for (uint32_t room : {1u, 7u, 96u, 1000u}) {
		const fact f =
			resident_fact("groups", 4096, [&](uint32_t n) { return 100 * std::ceil(double(n) / room); });
		EXPECT_EQ(f.is, verdict::found);
		EXPECT_EQ(f.value, room);
	}
	EXPECT_EQ(resident_fact("groups", 512, [](uint32_t) { return 100.0; }).is, verdict::not_found);
	// All share one thing, so that there is no step.
	EXPECT_EQ(resident_fact("groups", 512, [](uint32_t n) { return 100.0 + n; }).is, verdict::not_found);
}

TEST(planted_resident, groups_are_found)
{
	plant p;
	p.resident = 3072;
	p.units = 16;
	p.forgets = true;
	p.noise = 0.003;
	outcome o;
	run(o, p, "resident");
	for (const uint32_t group : {64u, 256u, 1024u}) {
		const fact *f = o.records.find("groups.of_" + std::to_string(group));
		ASSERT_NE(f, nullptr) << group;
		EXPECT_EQ(f->value, 3072 / group);
	}
}
