// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/homogeneity.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

namespace
{

json measured(double bytes_a_ns, double step_ns, uint64_t seed)
{
	plant p;
	p.bytes_a_ns = bytes_a_ns;
	p.step_ns = step_ns;
	p.loads_in_flight = 1000; // so that memory's bandwidth is what counts
	p.noise = 0.002;
	p.seed = seed;
	outcome o;
	o.report.document()["device"] = {{"title", "a planted device"}};
	run(o, p, "homogeneity", 1 << 16);
	return o.document();
}

} // namespace

TEST(homogeneity, names_the_device_that_is_slower)
{
	std::vector<json> documents;
	for (uint64_t i = 0; i < 4; i++)
		documents.push_back(measured(i == 2 ? 8 : 10, 2, i + 1));
	outcome o;
	add_homogeneity(documents, o.report, o.records);
	const fact *memory = o.records.find("homogeneity.memory");
	ASSERT_NE(memory, nullptr);
	EXPECT_NEAR(memory->value, 20, 2);
	EXPECT_NE(memory->why.find("unlike the others: 2 ("), std::string::npos) << memory->why;
	EXPECT_EQ(memory->why.find("1 ("), std::string::npos) << memory->why;
	EXPECT_NE(o.why("homogeneity.arithmetic").find("all are alike"), std::string::npos);
}

TEST(homogeneity, of_two_the_slower_one_is_named)
{
	outcome o;
	add_homogeneity({measured(10, 2, 1), measured(10, 3, 2)}, o.report, o.records);
	EXPECT_NE(o.why("homogeneity.memory").find("both are alike"), std::string::npos);
	EXPECT_NE(o.why("homogeneity.arithmetic").find("slower than the other: 1 ("), std::string::npos)
		<< o.why("homogeneity.arithmetic");
}

TEST(homogeneity, of_one_device_is_nothing)
{
	outcome o;
	add_homogeneity({measured(10, 2, 1)}, o.report, o.records);
	EXPECT_EQ(o.records.find("homogeneity.memory"), nullptr);
	EXPECT_NE(o.why("homogeneity.memory").find("two devices or more"), std::string::npos);
}
