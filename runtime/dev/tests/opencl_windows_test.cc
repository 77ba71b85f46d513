// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the kernels that shift arguments, where the program's text has to tell of them.
#include "dev/opencl_windows.h"

#include <gtest/gtest.h>

using namespace het::rt;

namespace
{

TEST(opencl_windows, the_text_tells_of_parameters)
{
	window_text made;
	ASSERT_TRUE(make_window_text(
		"void sum_all(void);\n__kernel\nvoid sum (global const float4 *x, constant int* "
		"restrict y,\n\tlocal float *z, const uint n, __global struct pair *p)\n{ sum_all(); }",
		"sum", made));
	EXPECT_EQ(made.shifts, 3u);
	EXPECT_EQ(
		made.text,
		"\n__kernel void het_in_window_sum(__global char *het_0, __constant char *het_1, local float * het_2, "
		"const uint het_3, __global char *het_4, ulong het_0_shift, ulong het_1_shift, ulong het_4_shift)\n"
		"{\n\tsum((global const float4 *)((size_t)het_0 + (size_t)het_0_shift), "
		"(constant int* )((size_t)het_1 + (size_t)het_1_shift), het_2, het_3, "
		"(__global struct pair *)((size_t)het_4 + (size_t)het_4_shift));\n}\n");
}

TEST(opencl_windows, what_is_not_plain_is_left_alone)
{
	window_text made;
	for (const char *text : {"", "kernel void other(global int *p) {}", "kernel void k(global int *p",
				 "k(global int *p)", "kernel void k(global int p[]) {}",
				 "kernel void k(int (*f)(int)) {}", "kernel void k(global int * /* p */ q) {}",
				 "kernel void k(void) {}", "kernel void k() {}", "kernel void kk(global int *p) {}",
				 "kernel void k(global int *) {}", "// void k(int x)\nkernel void k(float x) {}"})
		EXPECT_FALSE(make_window_text(text, "k", made)) << text;
}

} // namespace
