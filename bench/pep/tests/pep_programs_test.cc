// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All kernels, with fewer steps than the figures have: they compute what the host computes, or recording them throws.
#include "pep/study.h"

#include <gtest/gtest.h>

using namespace pep;

class programs : public testing::TestWithParam<program>
{
};

TEST_P(programs, are_right_and_are_preempted_whole)
{
	study_options o;
	o.of = scaled(o.of, 16);
	o.quick = true;
	const kernel_trace k = GetParam().record(true);
	EXPECT_GT(k.registers, 4u);
	EXPECT_GE(blocks_that_fit(o.of, k), 1u);
	const measured_kernel m = measure(GetParam(), o);
	EXPECT_EQ(m.runs.size(), 4u);
	for (const auto &[key, run] : m.runs) {
		EXPECT_EQ(run.saved_blocks + run.drained_blocks, m.blocks);
		uint64_t left = 0;
		for (const uint64_t n : run.leaves)
			left += n;
		EXPECT_EQ(left, m.blocks);
		EXPECT_LE(run.in_place_bytes, run.delta_bytes);
		const double whole = m.context_kb * 1024 * double(run.saved_blocks);
		EXPECT_LE(double(run.base_bytes), whole);
		EXPECT_LE(double(run.delta_bytes), whole);
		if (key.by == technique::chimera) {
			EXPECT_EQ(double(run.delta_bytes), whole);
		}
	}
	for (const auto &[fraction, part] : m.dirty)
		EXPECT_TRUE(part > 0 && part <= 1) << fraction;
	// The same again is the same.
	const measured_kernel again = measure(GetParam(), o);
	for (const auto &[key, run] : m.runs)
		EXPECT_EQ(run.latency, again.runs.at(key).latency);
}

INSTANTIATE_TEST_SUITE_P(all, programs, testing::ValuesIn(all_programs().begin(), all_programs().end()),
			 [](const auto &p) {
				 std::string name = p.param.name;
				 for (char &c : name)
					 c = isalnum(c) ? c : '_';
				 return name;
			 });

// What the thesis says of the kernels' contexts is what ours take, within a factor of two.
TEST(programs, have_contexts_like_those_of_the_thesis)
{
	for (const program &p : all_programs()) {
		const kernel_trace k = p.record(true);
		const double ratio = double(k.context_bytes()) / 1024 / p.thesis.kb;
		EXPECT_GT(ratio, 0.49) << p.name;
		EXPECT_LT(ratio, 2.05) << p.name;
	}
}
