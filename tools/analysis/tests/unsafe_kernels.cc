// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/tests/kernels.h"

namespace tool::analysis
{

namespace
{

constexpr auto unsafe = het::fatbin::split::unsafe;

constexpr example examples[] = {
	{"kernel void k(global int *c) { atomic_add(c, 1); }", unsafe, "line 1 changes memory atomically"},
	{"kernel void k(global int *c) { int i = get_global_id(0);\n c[i] = atomic_cmpxchg(&c[i], 0, 1); }", unsafe,
	 "line 2 changes memory atomically"},
	{"kernel void k(global int *h, global const uchar *a) { atomic_inc(&h[a[get_global_id(0)]]); }", unsafe,
	 "atomically"},
	{"kernel void k(global volatile int *c) { c[get_global_id(0)] = 1; }", unsafe, "writes volatile memory"},
	{"kernel void k(global volatile int *c, global int *d)\n{ d[get_global_id(0)] = c[0]; }", unsafe,
	 "line 2 reads volatile memory"},
	{"kernel void k(global int *c) { c[get_global_id(0)] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); }", unsafe,
	 "has a fence for global memory"},
	{"kernel void k(global int *c, int f) { c[get_global_id(0)] = 1; write_mem_fence(f); }", unsafe,
	 "has a fence for global memory"},
	{"kernel void k(global int *c) { c[get_global_id(0)] = 1; printf(\"%d\", 1); }", unsafe, "prints"},
	// Each work-item reads what others write, whatever the launch.
	{"kernel void k(global int *c) { int i = get_global_id(0); c[i] = c[i + 1]; }", unsafe,
	 "several work-items use the same bytes of c"},
	{"kernel void k(global int *c, int n) { int i = get_global_id(0); global int *p = c, *q = c + 1; p[i] = q[i]; "
	 "}",
	 unsafe, "several work-items use the same bytes of c"},
	// Several work-items write the same bytes.
	{"kernel void k(global int *c) { c[0] = get_global_id(0); }", unsafe,
	 "all work-items write the same bytes of c"},
	{"kernel void k(global int *c) { c[5] = 1; }", unsafe, "all work-items write the same bytes of c"},
	{"kernel void k(global int *c, int n) { c[n] = get_global_id(0); }", unsafe,
	 "all work-items write the same bytes of c"},
	{"kernel void k(global int2 *c) { global int *p = (global int *)c; *(global int2 *)(p + get_global_id(0)) = 1; "
	 "}",
	 unsafe, "several work-items use the same bytes of c"},
	{"kernel void k(global int *c) { int i = get_global_id(0); for (int j = 0; j < 9; j++) c[8 * i + j] = j; }",
	 unsafe, "several work-items use the same bytes of c"},
	// The addresses do not come from the arguments.
	{"kernel void k(global ulong *c) { *(global int *)c[get_global_id(0)] = 1; }", unsafe,
	 "writes through an address that comes from memory or a number"},
	{"kernel void k(global ulong *c, global int *d)"
	 "{ size_t i = get_global_id(0); d[i] = *(global int *)c[i]; }",
	 unsafe, "reads through an address that comes from memory or a number"},
	{"kernel void k(global int *c, global int *d, int n) { global int *p[2]; p[n & 1] = c; p[1 - (n & 1)] = d;"
	 " p[n >> 1 & 1][get_global_id(0)] = 1; }",
	 unsafe, "an address"},
};

} // namespace

std::span<const example> unsafe_examples()
{
	return examples;
}

} // namespace tool::analysis
