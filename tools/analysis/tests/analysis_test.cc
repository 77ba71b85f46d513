// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the answers for a table of small kernels. They follow from the rules; none was copied from what the analysis
// said.
#include "analysis/analysis.h"

#include "analysis/tests/kernels.h"
#include "fatbin/child.h"
#include "fatbin/split.h"

#include <gtest/gtest.h>

using namespace tool;
using analysis::example;

namespace
{

namespace format = het::fatbin;

std::string axis_words(const fat::kernel &k, const format::axis_row &axis)
{
	constexpr const char *sizes[] = {"", "*get_global_size(0)", "*get_global_size(1)"};
	std::string text = std::to_string(axis.step);
	text += axis.times < format::multiplier_argument
			? sizes[axis.times]
			: "*" + k.arguments[axis.times - format::multiplier_argument].name;
	text += axis.flags & format::axis_from_zero ? "z" : "";
	text += axis.flags & format::axis_bounded ? "b" : "";
	if (axis.first || axis.last)
		text += std::to_string(axis.first) + ".." + std::to_string(axis.last);
	return text;
}

std::string reach_words(const fat::kernel &k)
{
	constexpr const char *accesses[] = {"", "r", "w", "rw"};
	std::string all;
	for (const fat::argument &a : k.arguments) {
		if (!a.reach.length)
			continue;
		all += (all.empty() ? "" : "; ") + a.name + " " + accesses[size_t(*a.found)] + " " +
		       std::to_string(a.reach.offset) + "+" + std::to_string(a.reach.length);
		all += " " + axis_words(k, a.reach.axes[0]);
		if (a.reach.axes[1].step)
			all += " " + axis_words(k, a.reach.axes[1]);
		all += a.reach.limit ? " limit" : "";
	}
	return all;
}

class answers : public testing::TestWithParam<example>
{
};

TEST_P(answers, follow_the_rules)
{
	const example &e = GetParam();
	if (!fat::is_installed("clang-14"))
		GTEST_SKIP() << "clang-14 is not installed";
	auto kernels = analysis::analyse(fat::compile_for_analysis(e.source, e.options));
	ASSERT_EQ(kernels.size(), 1u);
	const fat::kernel &k = kernels[0];
	EXPECT_EQ(k.split, e.answer) << k.split_reason << "\n" << e.source;
	EXPECT_NE(k.split_reason.find(e.reason), std::string::npos) << k.split_reason << "\n" << e.source;
	if (e.answer == format::split::safe) {
		EXPECT_EQ(reach_words(k), e.reaches) << e.source;
	}
}

INSTANTIATE_TEST_SUITE_P(safe, answers, testing::ValuesIn(analysis::safe_examples()));
INSTANTIATE_TEST_SUITE_P(unsafe, answers, testing::ValuesIn(analysis::unsafe_examples()));
INSTANTIATE_TEST_SUITE_P(unknown, answers, testing::ValuesIn(analysis::unknown_examples()));

} // namespace
