// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches decide about these kernels of usual forms. The table has what follows for some launches, and comments say
// why.
#include "analysis/analysis.h"

#include "fatbin/apart.h"
#include "fatbin/child.h"
#include "fatbin/split.h"

#include <gtest/gtest.h>

using namespace tool;
using het::fatbin::known_number;
using het::fatbin::launch_groups;

namespace
{

struct launch {
	launch_groups groups;
	std::vector<int64_t> numbers; // one for each argument; memory's is not looked at
	bool is_apart;
};

struct form {
	const char *name, *source;
	std::vector<launch> launches;
};

launch_groups plane(uint64_t x, uint64_t y, uint64_t local_x, uint64_t local_y)
{
	return {{x, y, 1}, {local_x, local_y, 1}, {0, 0, 0}};
}

launch_groups line(uint64_t n, uint64_t local = 16)
{
	return plane(n, 1, local, 1);
}

const int64_t billions = int64_t{1} << 31;

const form forms[] = {
	{"transpose",
	 "#define T 16\n"
	 "kernel void k(global float *out, global const float *in, int w, int h)"
	 "{ local float tile[T][T + 1]; int x = get_group_id(0) * T + get_local_id(0), y = get_group_id(1) * T + "
	 "get_local_id(1);"
	 " if (x < w && y < h) tile[get_local_id(1)][get_local_id(0)] = in[y * w + x]; barrier(CLK_LOCAL_MEM_FENCE);"
	 " x = get_group_id(1) * T + get_local_id(0); y = get_group_id(0) * T + get_local_id(1);"
	 " if (x < h && y < w) out[y * h + x] = tile[get_local_id(0)][get_local_id(1)]; }",
	 {{plane(64, 48, 16, 16), {0, 0, 64, 48}, true},
	  {plane(64, 48, 16, 16), {0, 0, 60, 41}, true},  // the guards cut rows off
	  {plane(64, 48, 32, 16), {0, 0, 64, 48}, false}, // groups overlap, as their size is not that of the tiles
	  {plane(64, 48, 16, 16), {0, 0, 64, 0}, true},   // nothing is written
	  {plane(64, 48, 16, 16), {0, 0, 64, billions - 1}, false}}}, // y * h does not fit
	{"transpose_without_guards",
	 "kernel void k(global float *out, global const float *in, int h)"
	 "{ int x = get_global_id(0), y = get_global_id(1); out[x * h + y] = in[x]; }",
	 {{plane(64, 48, 16, 16), {0, 0, 48}, true},
	  {plane(64, 48, 16, 16), {0, 0, 47}, false},
	  {plane(64, 48, 16, 16), {0, 0, -48}, true}}},
	{"volume",
	 "kernel void k(global float *c, int w, int h, int d)"
	 "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);"
	 " if (x < w && y < h && z < d) c[(z * h + y) * w + x] = 1; }",
	 {{{{16, 8, 4}, {4, 4, 2}, {0, 0, 0}}, {0, 16, 8, 4}, true},
	  {{{16, 8, 4}, {4, 4, 2}, {0, 0, 0}}, {0, 13, 7, 3}, true},
	  {{{16, 8, 4}, {4, 4, 2}, {2, 1, 1}}, {0, 16, 8, 4}, true},
	  {{{16, 8, 4}, {4, 4, 2}, {0, 0, 0}}, {0, -13, 7, 3}, true}}}, // nothing is below -13
	{"volume_of_the_launch",
	 "kernel void k(global float *c) { size_t w = get_global_size(0), h = get_global_size(1);"
	 " c[(get_global_id(2) * h + get_global_id(1)) * w + get_global_id(0)] = 1; }",
	 {{{{16, 8, 4}, {4, 4, 2}, {0, 0, 0}}, {0}, true}, {{{16, 8, 4}, {4, 4, 2}, {3, 2, 1}}, {0}, true}}},
	{"volume_without_guards",
	 "kernel void k(global float *c, int w, int h)"
	 "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); c[z * w * h + y * w + x] = 1; }",
	 {{{{16, 8, 4}, {4, 4, 2}, {0, 0, 0}}, {0, 16, 8}, true},
	  {{{16, 8, 4}, {4, 4, 2}, {0, 0, 0}}, {0, 15, 8}, false},
	  {{{16, 8, 4}, {4, 4, 2}, {0, 0, 0}}, {0, 16, 7}, false}}},
	{"grid_stride",
	 "kernel void k(global float *c, int n) { for (int i = get_global_id(0); i < n; i += get_global_size(0)) c[i] "
	 "+= 1; }",
	 {{line(64), {0, 1000}, true},
	  {line(64), {0, -5}, true},
	  {line(64), {0, billions - 65}, true},
	  {line(64), {0, billions - 10}, false}, // the sum may wrap
	  {{{64, 1, 1}, {16, 1, 1}, {8, 0, 0}}, {0, 1000}, true},
	  {plane(64, 2, 16, 1), {0, 1000}, false}}}, // all rows write the same
	{"stride_of_an_argument",
	 "kernel void k(global float *c, uint n, uint s) { for (uint i = get_global_id(0); i < n; i += s) c[i] += 1; }",
	 {{line(64), {0, 1000, 64}, true}, {line(64), {0, 1000, 63}, false}, {line(64), {0, 1000, 128}, true}}},
	{"row_of_each",
	 "kernel void k(global float *c, int n) { int i = get_global_id(0); for (int j = 0; j < n; j++) c[i * n + j] = "
	 "j; }",
	 {{line(64), {0, 100}, true}, {line(64), {0, 1}, true}, {line(64), {0, 0}, true}}},
	{"column_of_each",
	 "kernel void k(global float *c, int n, int w) { int i = get_global_id(0); for (int j = 0; j < n; j++) c[j * w "
	 "+ i] = j; }",
	 {{line(64), {0, 100, 64}, true}, {line(64), {0, 100, 63}, false}}},
	{"quotient_and_rest",
	 "kernel void k(global float *c, int w, int p) { int i = get_global_id(0); c[i / w * w + i % w] = 1; }",
	 {{line(64), {0, 10, 12}, true}, {line(64), {0, -10, 12}, true}}},
	// Each group updates a block beyond those that it reads.
	{"decomposition",
	 "#define T 16\n"
	 "kernel void k(global float *m, int n, int at)"
	 "{ local float row[T][T], column[T][T]; int x = get_local_id(0), y = get_local_id(1);"
	 " int i = at + (get_group_id(1) + 1) * T, j = at + (get_group_id(0) + 1) * T;"
	 " row[y][x] = m[(at + y) * n + j + x]; column[y][x] = m[(i + y) * n + at + x]; barrier(CLK_LOCAL_MEM_FENCE);"
	 " float s = 0; for (int k = 0; k < T; k++) s += column[y][k] * row[k][x]; m[(i + y) * n + j + x] -= s; }",
	 {{plane(48, 48, 16, 16), {0, 64, 0}, true},
	  {plane(32, 32, 16, 16), {0, 64, 16}, true},
	  {plane(48, 48, 16, 16), {0, 63, 0}, false},
	  {plane(48, 48, 8, 16), {0, 64, 0}, false}}},
	// Groups that overlap write only what is inside of their borders.
	{"tiles_with_borders",
	 "#define T 16\n"
	 "kernel void k(global float *to, global const float *from, int turns, int w, int h)"
	 "{ local float t[T][T]; int x = get_local_id(0), y = get_local_id(1), inner = T - 2 * turns, left = inner * "
	 "get_group_id(0) - turns,"
	 " top = inner * get_group_id(1) - turns; int right = left + T - 1 > w - 1 ? w - 1 - left : T - 1,"
	 " bottom = top + T - 1 > h - 1 ? h - 1 - top : T - 1, at = (top + y) * w + left + x; bool done = false; "
	 "t[y][x] = from[at];"
	 " for (int i = 0; i < turns; i++) { done = false;"
	 " if (x > i && x < T - 1 - i && y > i && y < T - 1 - i && x <= right && y <= bottom) { done = true; t[y][x] "
	 "+= t[y - 1][x - 1]; }"
	 " barrier(CLK_LOCAL_MEM_FENCE); if (i == turns - 1) break; barrier(CLK_LOCAL_MEM_FENCE); } if (done) to[at] = "
	 "t[y][x]; }",
	 {{plane(80, 80, 16, 16), {0, 0, 1, 64, 64}, true},
	  {plane(96, 96, 16, 16), {0, 0, 2, 64, 64}, true},
	  {plane(96, 96, 32, 16), {0, 0, 1, 64, 64}, true}, // the border holds more of them
	  {plane(96, 96, 16, 16), {0, 0, 9, 64, 64}, true}, // the border holds all of them
	  {plane(80, 80, 16, 16), {0, 0, 1, billions - 1, 64}, false}}},
	{"sums_of_groups",
	 "kernel void k(global float *c, global const float *a, local float *l) { l[get_local_id(0)] = "
	 "a[get_global_id(0)];"
	 " barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) c[get_group_id(1) * get_num_groups(0) + "
	 "get_group_id(0)] = l[0]; }",
	 {{plane(64, 48, 16, 16), {0, 0, 0}, true}, {line(64), {0, 0, 0}, true}}},
	{"only_one_writes",
	 "kernel void k(global float *c) { if (get_global_id(0) == 0) c[0] = 1; }",
	 {{line(64), {0}, true}, {plane(64, 2, 16, 1), {0}, false}}},
	// Indices of 16 bits begin again.
	{"short_numbers",
	 "kernel void k(global float *c, int w) { ushort i = get_global_id(1) * w + get_global_id(0); c[i] = 1; }",
	 {{plane(64, 4, 16, 1), {0, 64}, true}, {plane(64, 4, 16, 1), {0, 32768}, false}}},
	{"another_place",
	 "kernel void k(global int *c, int n) { int i = get_global_id(0); c[i] = c[i + n]; }",
	 {{line(64), {0, 64}, true}, {line(64), {0, -64}, true}, {line(64), {0, 63}, false}, {line(64), {0, 0}, true}}},
	// The distance from one place to the next is another one in each turn.
	{"pointer_that_moves_on_faster",
	 "kernel void k(global int *c, int n) { global int *p = c; int x = get_global_id(0);"
	 " for (int i = 0; i < n; i++) { p[x] = i; p += i; } }",
	 {{line(64), {0, 20}, false}, {line(64), {0, 2}, false}}},
	// As an unsigned number a negative one is very large.
	{"smaller_one_of_others",
	 "kernel void k(global int *c, int w, int n) { long y = get_global_id(1), x = get_global_id(0);"
	 " long m = n < w ? (long)(uint)n : (long)w; if (x < m) c[y * w + x] = 1; }",
	 {{plane(64, 4, 16, 1), {0, 20, 30}, true}, {plane(64, 4, 16, 1), {0, 20, -1}, false}}},
	// The remainder is another one where the dividend has more than 32 bits.
	{"quotient_of_other_width",
	 "kernel void k(global char *c, long s) { ulong at = get_global_id(0) + get_global_id(1) * (ulong)s;"
	 " ulong q = at / 3; uint r = (uint)at % 3u; c[q * 3 + r] = c[at] + 1; }",
	 {{plane(64, 4, 16, 1), {0, int64_t{1} << 32}, false}}},
	// The first turn comes before the condition.
	{"condition_at_the_end",
	 "kernel void k(global int *c, int n, int w) { int i = get_global_id(0), y = get_global_id(1);"
	 " do { c[y * w + i] = 1; i += 64; } while (i < n); }",
	 {{plane(64, 4, 16, 1), {0, 20, 20}, false}}},
	{"unsigned_bound",
	 "kernel void k(global int *c, uint m) { uint x = get_global_id(0); if (x < m) c[x] = 1; }",
	 {{plane(64, 4, 16, 1), {0, 0}, true}, {plane(64, 4, 16, 1), {0, -1}, false}}},
	{"condition_that_wraps",
	 "kernel void k(global int *c, uint s) { uint x = get_global_id(0); if ((int)(x * s) < 1) c[get_global_id(1)] "
	 "= "
	 "1; }",
	 {{plane(64, 4, 16, 1), {0, 1}, true}, {plane(64, 4, 16, 1), {0, 1 << 30}, false}}},
	{"bound_that_is_reached",
	 "kernel void k(global int *c, int w, int n) { int x = get_global_id(0); if (x <= n) c[get_global_id(1) * w + "
	 "x] "
	 "= 1; }",
	 {{plane(64, 4, 16, 1), {0, 20, 19}, true}, {plane(64, 4, 16, 1), {0, 20, 20}, false}}},
	{"rest_of_negative_ones",
	 "kernel void k(global int *c, int n, int w) { int x = get_global_id(0), g = get_group_id(0);"
	 " c[g * w + (x - n) % w] = c[g * w + x % w] + 1; }",
	 {{line(64, 4), {0, 0, 4}, true}, {line(64, 4), {0, 12, 4}, false}}},
	{"turns_until_it_is_equal",
	 "kernel void k(global char *c, uint m) { ulong x = get_global_id(0);\n"
	 "#pragma clang loop vectorize(disable) unroll(disable)\n"
	 " for (uint j = 0; j != m; j++) c[x * 8 + j] += 1; }",
	 {{line(64), {0, 8}, true}, {line(64), {0, -1}, false}}},
	{"every_second",
	 "kernel void k(global int *c) { int i = get_global_id(0); c[2 * i] = c[2 * i + 1]; }",
	 {{line(64), {0}, true}}},
	// It is not known which of the two holds, whichever comes last.
	{"one_of_two_conditions",
	 "kernel void k(global int *c, int w, int n, local int *l) { int x = get_global_id(0), y = get_global_id(1); "
	 "bool in;"
	 " if (l[0]) { barrier(CLK_LOCAL_MEM_FENCE); in = x < w; } else { l[x] = 1; in = x != n; }"
	 " barrier(CLK_GLOBAL_MEM_FENCE); if (in) c[y * w + x] = 1; }",
	 {{plane(64, 4, 16, 1), {0, 20, 64, 0}, false}}},
	{"the_other_of_two_conditions",
	 "kernel void k(global int *c, int w, int n, local int *l) { int x = get_global_id(0), y = get_global_id(1); "
	 "bool in;"
	 " if (l[0]) { barrier(CLK_LOCAL_MEM_FENCE); in = x != n; } else { l[x] = 1; in = x < w; }"
	 " barrier(CLK_GLOBAL_MEM_FENCE); if (in) c[y * w + x] = 1; }",
	 {{plane(64, 4, 16, 1), {0, 20, 64, 0}, false}}},
	// The condition held of the number of the turn before.
	{"condition_of_another_turn",
	 "kernel void k(global int *c, int w, int n) { int x = get_global_id(0), y = get_global_id(1); bool in = false;"
	 " for (int i = 0; i < n; i++) { if (in) c[y * w + x] = i; barrier(CLK_LOCAL_MEM_FENCE); in = x < w; x += 64; "
	 "} }",
	 {{plane(64, 4, 16, 1), {0, 100, 3}, false}}},
	{"index_from_memory",
	 "kernel void k(global int *c, global const int *at) { c[at[get_global_id(0)]] = 1; }",
	 {{line(64), {0, 0}, false}}},
};

class launches : public testing::TestWithParam<form>
{
};

// What is known on the way back holds of the turn before, so it adds nothing to what is said of the place.
TEST(launches_text, a_turn_is_described_once)
{
	if (!fat::is_installed("clang-14"))
		GTEST_SKIP() << "clang-14 is not installed";
	auto kernels = analysis::analyse(fat::compile_for_analysis(
		"kernel void k(global int *c, int n, int w) { int i = get_global_id(0), y = get_global_id(1);\n"
		"#pragma clang loop vectorize(disable) unroll(disable)\n"
		" do { c[y * w + i] = y; i += 64; } while (i < n); }",
		""));
	ASSERT_EQ(kernels.size(), 1u);
	const std::string &text = kernels[0].apart;
	size_t first = text.find("A 0 w");
	ASSERT_NE(first, text.npos) << text;
	EXPECT_EQ(text.find("A 0 w", first + 1), text.npos) << text;
}

TEST_P(launches, are_judged_by_their_numbers)
{
	const form &f = GetParam();
	if (!fat::is_installed("clang-14"))
		GTEST_SKIP() << "clang-14 is not installed";
	auto kernels = analysis::analyse(fat::compile_for_analysis(f.source, ""));
	ASSERT_EQ(kernels.size(), 1u);
	for (const launch &l : f.launches) {
		std::vector<known_number> numbers;
		for (int64_t n : l.numbers)
			numbers.push_back({true, n});
		auto found = het::fatbin::keeps_groups_apart(kernels[0].apart.c_str(), l.groups, numbers);
		EXPECT_NE(found, het::fatbin::groups_are::too_many);
		EXPECT_EQ(found == het::fatbin::groups_are::apart, l.is_apart)
			<< "launch " << &l - f.launches.data() << ", " << kernels[0].split_reason << "\n"
			<< kernels[0].apart;
	}
}

INSTANTIATE_TEST_SUITE_P(forms, launches, testing::ValuesIn(forms),
			 [](const auto &info) { return std::string(info.param.name); });

} // namespace
