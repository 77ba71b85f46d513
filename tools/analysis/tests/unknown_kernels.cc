// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/tests/kernels.h"

namespace tool::analysis
{

namespace
{

constexpr auto unknown = het::fatbin::split::unknown;
constexpr char no_sum[] = "at an index that is no sum of the work-item's ids";

constexpr example examples[] = {
	// The index may wrap in 32 bits: two products may be the same then.
	{"kernel void k(global float *c, uint n) { uint i = get_global_id(0); c[n - 2 * i] = i; }", unknown, no_sum},
	{"kernel void k(global float *c, uint n) { uint i = get_global_id(0); c[n - i] = i; c[(ulong)n - i] = 1; }",
	 unknown, "c at an index that is no sum"},
	{"kernel void k(global float *c, uint n)"
	 "{ uint x = get_global_id(0), y = get_global_id(1); c[n - x - y] = 1; }",
	 unknown, no_sum},
	{"kernel void k(global float *c, uint n) { ushort i = n - (uint)get_global_id(0); c[i] = 1; }", unknown,
	 "work-items may use the same bytes of c"},
	{"kernel void k(global int *c) { c[get_global_id(0) % 64] = 1; }", unknown,
	 "work-items may use the same bytes of c"},
	{"kernel void k(global int *c) { uchar i = get_global_id(0); c[i] = 1; }", unknown,
	 "work-items may use the same bytes of c"},
	{"kernel void k(global int *c, int n) { c[get_global_id(0) % n] = 1; }", unknown, no_sum},
	{"kernel void k(global int *c, global const int *at) { int i = get_global_id(0);\n c[at[i]] = 1; }", unknown,
	 "line 2 writes c at an index"},
	{"kernel void k(global int *c, global const int *at) { int i = get_global_id(0);\n c[i] = 1;\n c[i] += "
	 "c[at[i]]; }",
	 unknown, "line 3 reads c at an index"},
	{"kernel void k(global int *c) { ushort i = get_global_id(0); c[i] = 1; }", unknown,
	 "work-items may use the same bytes of c"},
	{"kernel void k(global int *c) { c[get_global_id(0) / 2] = 1; }", unknown, no_sum},
	{"kernel void k(global int *c) { c[get_global_id(0) ^ 1] = 1; }", unknown, no_sum},
	{"kernel void k(global int *c) { size_t i = get_global_id(0); c[i * i] = 1; }", unknown, no_sum},
	{"kernel void k(global int *c) { c[get_local_id(0)] = 1; }", unknown, no_sum},
	{"kernel void k(global int *c) { c[get_group_id(0) * 64 + get_local_id(0)] = 1; }", unknown, no_sum},
	{"kernel void k(global int *c, uint d) { c[get_global_id(d)] = 1; }", unknown, no_sum},
	{"kernel void k(global int *c, int n) { int i = get_global_id(0);"
	 " for (int j = 0; j < n; j++) c[i * n + j] = 1; }",
	 unknown, no_sum},
	{"kernel void k(global int *c, int n, int w)"
	 "{ size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); c[(z * n + y) * w + x] = 1; }",
	 unknown, no_sum},
	{"kernel void k(global int *c, int s) { c[get_global_id(0) * s + get_global_id(1) * s] = 1; }", unknown,
	 "work-items may use the same bytes of c"},
	{"kernel void k(global int *c, int n) { int i = get_global_id(0); c[i] = c[i + n]; }", unknown,
	 "c at a distance that depends on the launch"},
	// Work-items of some overlap in all usual launches, but not in each possible one: the sizes decide, or a
	// condition.
	{"kernel void k(global int *c) { int i = get_global_id(0);\n\n c[i] = c[0]; }", unknown,
	 "line 3 writes c at another index"},
	{"kernel void k(global int *c, int n) { int i = get_global_id(0); c[i] += c[2 * i]; }", unknown,
	 "c at another index"},
	{"kernel void k(global int *c) { c[get_global_id(0) + get_global_id(1)] = 1; }", unknown,
	 "several work-items use the same bytes of c"},
	{"kernel void k(global int *c) { c[get_global_id(1)] = 1; }", unknown,
	 "several work-items use the same bytes of c"},
	{"kernel void k(global int *c, int w) { int x = get_global_id(0), y = get_global_id(1);"
	 " c[y * w + x] = c[(y + 1) * w + x]; }",
	 unknown, "several work-items use the same bytes of c"},
	{"kernel void k(global float *c) { size_t i = get_global_id(0); c[i] = 1; vstore2((float2)(1, 2), i, c); }",
	 unknown, "c at another index"},
	{"kernel void k(global int *c, int v) { if (get_global_id(0) == 0) c[0] = v; }", unknown,
	 "all work-items write the same bytes of c"},
	{"kernel void k(global int *c, int n) { int i = get_global_id(0); if (i & 1) c[i] = c[i + 1]; }", unknown,
	 "several work-items use the same bytes of c"},
	{"kernel void k(global int *c, global int *d, int n)"
	 "{ global int *p = n ? c : d; p[get_global_id(0)] = 1; }",
	 unknown, "writes through a pointer into one of several arguments"},
	{"kernel void k(global int *c) { size_t i = get_global_id(0); c[i] = (int)(size_t)(c + i); }", unknown,
	 "uses an address as a number"},
	{"kernel void k(global int *c, global int *d) { c[get_global_id(0)] = c < d; }", unknown, "compares addresses"},
	{"void __attribute__((noinline)) set(global int *p) { *p = 1; }"
	 "kernel void k(global int *c) { set(c + get_global_id(0)); }",
	 unknown, "calls set(), which is not inlined"},
	{"kernel void k(global int *c, local int *l)"
	 "{ event_t e = async_work_group_copy(c, l, 64, 0); wait_group_events(1, &e); }",
	 unknown, no_sum},
	{"kernel void k(global float *c, read_only image2d_t i, sampler_t s)"
	 "{ c[get_global_id(0)] = read_imagef(i, s, (int2)(0, 0)).x; }",
	 unknown, "uses an image with read_imagef()"},
	{"constant sampler_t s = CLK_FILTER_NEAREST; kernel void k(global float *c, read_only image2d_t i)\n"
	 "{ c[get_global_id(0)] = read_imagef(i, s, (int2)(0, 0)).x; }",
	 unknown, "uses a sampler"},
	{"kernel void k(write_only image2d_t i) { write_imagef(i, (int2)(get_global_id(0), 0), 1); }", unknown,
	 "uses an image with write_imagef()"},
};

} // namespace

std::span<const example> unknown_examples()
{
	return examples;
}

} // namespace tool::analysis
