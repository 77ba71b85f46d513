// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests what a launch may pass to a parameter, and which groups it may have.
#include "dev/group_rules.h"
#include "dev/parameter.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace het::rt;

namespace
{

device_arg given(uint32_t kind, size_t nbytes = 0)
{
	return {kind, 0, nbytes, nullptr, nullptr, 0};
}

// Returns what is against the launch, or "" if it is allowed.
std::string against(const group_rules &rules, const launch_shape &shape)
{
	het::fatbin::fault why;
	return allows(rules, shape, why) ? "" : why.text;
}

bool has(const std::string &text, const char *part)
{
	return text.find(part) != text.npos;
}

} // namespace

TEST(types, sizes)
{
	const struct {
		const char *name;
		size_t nbytes;
	} rows[] = {{"char", 1},        {"uchar", 1},   {"short", 2},   {"half", 2},     {"int", 4},
		    {"uint", 4},        {"float", 4},   {"long", 8},    {"ulong", 8},    {"double", 8},
		    {"uchar2", 2},      {"float3", 16}, {"int4", 16},   {"ushort8", 16}, {"double16", 128},
		    {"char16", 16},     {"pair", 0},    {"int5", 0},    {"float1", 0},   {"float04x", 0},
		    {"int0", 0},        {"int32", 0},   {"integer", 0}, {"longest", 0},  {"int 4", 0},
		    {"struct int4", 0}, {"float*", 0},  {"", 0}};
	for (const auto &r : rows)
		EXPECT_EQ(bytes_of_type(r.name), r.nbytes) << r.name;
}

TEST(parameters, kinds)
{
	constexpr uint32_t kinds[] = {HET_ARG_VALUE,   HET_ARG_LOCAL,   HET_ARG_MEMORY, HET_ARG_RANGE,
				      HET_ARG_ADDRESS, HET_ARG_TEXTURE, HET_ARG_SAMPLER};
	const struct {
		parameter::kind is;
		std::vector<uint32_t> fitting;
	} rows[] = {{parameter::value, {HET_ARG_VALUE}},
		    {parameter::local, {HET_ARG_LOCAL}},
		    {parameter::memory, {HET_ARG_MEMORY, HET_ARG_RANGE, HET_ARG_ADDRESS}},
		    {parameter::texture, {HET_ARG_TEXTURE}},
		    {parameter::sampler, {HET_ARG_SAMPLER}},
		    {parameter::unknown, {std::begin(kinds), std::end(kinds)}}};
	for (const auto &r : rows) {
		for (uint32_t kind : kinds) {
			bool wanted = std::find(r.fitting.begin(), r.fitting.end(), kind) != r.fitting.end();
			EXPECT_EQ(fits({r.is, 0, "", ""}, given(kind, 8)), wanted) << r.is << ", " << kind;
		}
	}
}

TEST(parameters, sizes_of_values_alone_count)
{
	EXPECT_TRUE(fits({parameter::value, 4, "", ""}, given(HET_ARG_VALUE, 4)));
	EXPECT_FALSE(fits({parameter::value, 4, "", ""}, given(HET_ARG_VALUE, 8)));
	EXPECT_TRUE(fits({parameter::value, 0, "", ""}, given(HET_ARG_VALUE, 8)));
	EXPECT_TRUE(fits({parameter::memory, 4, "", ""}, given(HET_ARG_RANGE, 100)));
	EXPECT_TRUE(fits({parameter::local, 4, "", ""}, given(HET_ARG_LOCAL, 100)));
}

TEST(groups, what_divides_and_is_small_enough)
{
	const group_rules rules = {256, true};
	EXPECT_EQ(against(rules, {1, {1000, 1, 1}, {}, {}}), "");
	EXPECT_EQ(against(rules, {1, {1024, 1, 1}, {}, {256, 1, 1}}), "");
	EXPECT_EQ(against(rules, {3, {64, 8, 2}, {}, {32, 4, 2}}), "");
	EXPECT_TRUE(has(against(rules, {3, {64, 8, 2}, {}, {64, 4, 2}}), "larger than the 256"));
	EXPECT_TRUE(has(against(rules, {1, {1024, 1, 1}, {}, {512, 1, 1}}), "larger than the 256"));
	EXPECT_TRUE(has(against(rules, {1, {1000, 1, 1}, {}, {64, 1, 1}}), "1000 work-items in dimension 0"));
	EXPECT_TRUE(has(against(rules, {2, {64, 9, 1}, {}, {8, 8, 1}}), "9 work-items in dimension 1"));
	EXPECT_EQ(against({256, false}, {1, {1000, 1, 1}, {}, {64, 1, 1}}), "");
	EXPECT_TRUE(has(against({SIZE_MAX, false}, {2, {1, 1, 1}, {}, {SIZE_MAX, 2, 1}}), "larger")) << "no overflow";
}

TEST(groups, what_the_kernel_requires)
{
	const group_rules rules = {1024, true, {16, 2, 1}};
	EXPECT_EQ(against(rules, {2, {64, 8, 1}, {}, {16, 2, 1}}), "");
	EXPECT_TRUE(has(against(rules, {2, {64, 8, 1}, {}, {2, 16, 1}}), "requires groups of 16 x 2 x 1"));
	EXPECT_TRUE(has(against(rules, {2, {64, 8, 1}, {}, {32, 2, 1}}), "requires"));
	// A launch that asks for no groups gets those that the kernel requires.
	EXPECT_EQ(against(rules, {2, {64, 8, 1}, {}, {}}), "");
	EXPECT_TRUE(has(against(rules, {2, {60, 8, 1}, {}, {}}), "60 work-items in dimension 0"));
}
