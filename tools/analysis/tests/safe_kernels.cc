// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/tests/kernels.h"

namespace tool::analysis
{

namespace
{

constexpr auto safe = het::fatbin::split::safe;
constexpr char own[] = "at the work-item's own index alone", nothing[] = "it writes nothing";

// Reaches are written as NAME FOUND OFFSET+LENGTH, and for each axis STEP[*TIMES][z for from zero][b for
// bounded][FIRST..LAST].
constexpr example examples[] = {
	{"kernel void k(global float *c, global const float *a, global const float *b)"
	 "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }",
	 safe, own, "c w 0+4 4; a r 0+4 4; b r 0+4 4"},
	{"kernel void k(global float *c, global float *a, int n)"
	 "{ int i = get_global_id(0); if (i >= n) return; c[i] = 2 * a[i]; }",
	 safe, own, "c w 0+4 4; a r 0+4 4"},
	{"kernel void k(global float *c, uint n) { uint i = get_global_id(0); if (i < n) c[i] += 1; }", safe, own,
	 "c rw 0+4 4"},
	{"kernel void k(global float *c, global const float *a, int n)"
	 "{ int i = get_global_id(0); if (i > 0 && i < n - 1) c[i] = a[i - 1] + a[i] + a[i + 1]; }",
	 safe, own, "c w 0+4 4; a r -4+12 4 limit"},
	// What nobody writes may be read anywhere.
	{"kernel void k(global float *c, global const float *a, global const int *at)"
	 "{ size_t i = get_global_id(0); c[i] = a[at[i]]; }",
	 safe, own, "c w 0+4 4; at r 0+4 4"},
	{"kernel void k(global float *c, global const float *a, uint n)"
	 "{ size_t i = get_global_id(0); float s = 0; for (uint j = 0; j < n; j++) s += a[j]; c[i] = s; }",
	 safe, own, "c w 0+4 4"},
	{"kernel void k(global float *c, constant float *a) { size_t i = get_global_id(0); c[i] = a[i & 7]; }", safe,
	 own, "c w 0+4 4; a r 0+32 0"},
	// These use vectors, structures and bytes.
	{"kernel void k(global float4 *c, global const float4 *a) { size_t i = get_global_id(0); c[i] = a[i] * 2.0f; }",
	 safe, own, "c w 0+16 16; a r 0+16 16"},
	{"kernel void k(global float *c, global const float *a)"
	 "{ size_t i = get_global_id(0); vstore4(vload4(i, a), i, c); }",
	 safe, own, "c w 0+16 16; a r 0+16 16"},
	{"kernel void k(global half *c, float4 v) { vstore_half3_rtz(v.xyz, get_global_id(0), c); }", safe, own,
	 "c w 0+6 6"},
	{"kernel void k(global half *c, float4 v) { vstorea_half3(v.xyz, get_global_id(0), c); }", safe, own,
	 "c w 0+6 8"},
	{"typedef struct { float x, y; int z; } point; kernel void k(global point *p)"
	 "{ size_t i = get_global_id(0); p[i].y = p[i].x; }",
	 safe, own, "p rw 0+8 12"},
	{"typedef struct { float x[4]; int n; } row; kernel void k(global row *p, global const row *q)"
	 "{ size_t i = get_global_id(0); p[i] = q[i]; }",
	 safe, own, "p w 0+20 20; q r 0+20 20"},
	{"kernel void k(global uchar *c) { size_t i = get_global_id(0); c[2 * i + 1] = c[2 * i]; }", safe, own,
	 "c rw 0+2 2"},
	{"kernel void k(global float *c, float4 v) { ((global float4 *)c)[get_global_id(0)] = v; }", safe, own,
	 "c w 0+16 16"},
	// Each work-item has several bytes of its own, by a loop or something small.
	{"kernel void k(global int *c) { size_t i = get_global_id(0); for (int j = 0; j < 8; j++) c[8 * i + j] = j; }",
	 safe, own, "c w 0+32 32"},
	{"kernel void k(global int *c, int n)"
	 "{ size_t i = get_global_id(0); for (int j = 0; j < 300; j++) c[300 * i + j] = n; }",
	 safe, own, "c w 0+1200 1200"},
	{"kernel void k(global int *c, global const int *a) { size_t i = get_global_id(0); c[4 * i + (a[i] & 3)] = 1; "
	 "}",
	 safe, own, "c w 0+16 16; a r 0+4 4"},
	{"kernel void k(global int *c, int n) { size_t i = get_global_id(0); for (int j = 0; j < n; j++) c[i] += j; }",
	 safe, own, "c rw 0+4 4"},
	{"kernel void k(global int *c) { size_t i = get_global_id(0); global int *p = c + 4 * i;"
	 " for (global int *q = p, *e = 0; q < p + 4; q++) *q = 1; }",
	 safe, own, "c w 0+16 16"},
	// These have two dimensions.
	{"kernel void k(global float *c, global const float *a) { size_t i = get_global_id(1) * get_global_size(0) + "
	 "get_global_id(0); c[i] = a[i]; }",
	 safe, own, "c w 0+4 4 4*get_global_size(0); a r 0+4 4 4*get_global_size(0)"},
	{"kernel void k(global float *c, global const float *a, int w, int h)"
	 "{ int x = get_global_id(0), y = get_global_id(1); if (x < w && y < h) c[y * w + x] = a[y * w + x]; }",
	 safe, own, "c w 0+4 4b 4*w; a r 0+4 4b 4*w"},
	{"kernel void k(global float *c, global const float *a, int w, int h)"
	 "{ int x = get_global_id(0), y = get_global_id(1); if (x > 0 && x < w - 1 && y > 0 && y < h - 1)"
	 " c[y * w + x] = a[(y - 1) * w + x] + a[(y + 1) * w + x] + a[y * w + x - 1] + a[y * w + x + 1]; }",
	 safe, own, "c w 0+4 4b 4*w; a r -4+12 4b 4*w-1..1"},
	{"kernel void k(global float *c, global const float *a, global const float *b, uint n)"
	 "{ uint x = get_global_id(0), y = get_global_id(1); float s = 0; for (uint j = 0; j < n; j++)"
	 " s += a[y * n + j] * b[j * n + x]; c[y * n + x] = s; }",
	 safe, own, "c w 0+4 4 4*n limit"},
	{"kernel void k(global float *c, long h) { c[get_global_id(0) * h + get_global_id(1)] = 1; }", safe, own,
	 "c w 0+4 4*h 4"},
	{"kernel void k(global float *c) { c[get_global_id(1) * 640 + get_global_id(0)] = 1; }", safe, own,
	 "c w 0+4 4 2560"},
	{"kernel void k(global int *c) { c[2 * get_global_id(0) + 3 * get_global_id(1)] = 1; }", safe, own,
	 "c w 0+4 8 12"},
	{"kernel void k(global float *c) { c[get_global_linear_id()] = 1; }", safe, own,
	 "c w 0+4 4z 4*get_global_size(0)z", "-cl-std=CL2.0"},
	// This one has no reach, since the format has none for it.
	{"kernel void k(global float *c, ulong n) { size_t i = get_global_id(0); c[n - 1 - i] = i; }", safe, own},
	{"kernel void k(global float *c, int first) { int i = get_global_id(0); c[first + i] = i; }", safe, own},
	// The index may wrap in 32 bits, but for each work-item it is another number.
	{"kernel void k(global float *c, int n) { int i = get_global_id(0); c[n - 1 - i] = i; }", safe, own},
	{"kernel void k(global float *c, uint n) { uint i = get_global_id(0); c[n - i] += c[n - i] * 2; }", safe, own},
	{"kernel void k(global float4 *c, uint n, uint m) { uint i = get_global_id(0); c[n * m + i].y = i; }", safe,
	 own},
	{"kernel void k(global float *c, uint n) { c[n - (uint)get_group_id(0)] = 1; }", safe, own},
	// Work-items of one group may share.
	{"kernel void k(global float *c, global const float *a, local float *l) { size_t i = get_global_id(0), "
	 "j = get_local_id(0); l[j] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); c[i] = l[get_local_size(0) - 1 - j]; }",
	 safe, own, "c w 0+4 4; a r 0+4 4"},
	{"kernel void k(global float *c, global const float *a, local float *l) { l[get_local_id(0)] = "
	 "a[get_global_id(0)];"
	 " barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) c[get_group_id(0)] = l[0] + l[1]; }",
	 safe, own, "a r 0+4 4"},
	{"kernel void k(global float *c) { c[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1; }", safe, own,
	 "c w 0+4 4z"},
	{"kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global float *c)"
	 "{ c[get_group_id(0) * 64 + get_local_id(0)] = 1; }",
	 safe, own, "c w 0+4 4z"},
	{"kernel void k(global int *c, local int *l) { atomic_add(l, 1); atomic_inc(&l[1]); "
	 "mem_fence(CLK_LOCAL_MEM_FENCE);"
	 " c[get_global_id(0)] = *l; }",
	 safe, own, "c w 0+4 4"},
	// These use helpers, private memory, and functions that are known.
	{"float half_of(global const float *p, size_t i) { return 0.5f * p[i]; }"
	 "kernel void k(global float *c, global const float *a)"
	 "{ size_t i = get_global_id(0); float t[4]; t[i & 3] = 1; c[i] = half_of(a, i) + sin(t[1]); }",
	 safe, own, "c w 0+4 4; a r 0+4 4"},
	{"kernel void k(global float *c, global float *d)"
	 "{ size_t i = get_global_id(0); float whole; c[i] = fract(c[i], &whole) + sincos(whole, &d[i]); }",
	 safe, own, "c rw 0+4 4; d w 0+4 4"},
	{"kernel void k(global int *c) { size_t i = get_global_id(0); global int *p = c; p += i; *p = 1; p[0] += 2; }",
	 safe, own, "c w 0+4 4"},
	{"struct s { int a, b; }; kernel void k(global int *c, struct s v) { c[get_global_id(0)] = v.a + v.b; }", safe,
	 own, "c w 0+4 4"},
	{"kernel void k(global const int *a, local int *l) { l[0] = a[get_global_id(0)]; }", safe, nothing,
	 "a r 0+4 4"},
	{"kernel void k(void) {}", safe, nothing},
	{"#define N 4\n#if N > 3\n#define M 2\n#endif\nkernel void k(global int *c) { c[M * get_global_id(0)] = 1; }",
	 safe, own, "c w 0+4 8"},
	// A sum that could wrap has a limit.
	{"kernel void k(global float *c) { uint i = get_global_id(0); c[i * 4u + 1u] = 1; }", safe, own,
	 "c w 4+4 16 limit"},
};

} // namespace

std::span<const example> safe_examples()
{
	return examples;
}

} // namespace tool::analysis
