// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// transform_kernels.cc launches these kernels, of scans and of Fourier transforms: what is written at first, and the
// stages to what a device is fast with.

// One of log2(n) passes: each word gets what is so far before it.
kernel void scan_pass(global const uint *from, global uint *to, uint distance)
{
	uint i = get_global_id(0);
	to[i] = from[i] + (i >= distance ? from[i - distance] : 0);
}

// Adds up what the threads of a group have, and returns what those before this one have.
uint sum_before(local uint *part, uint own)
{
	uint t = get_local_id(0), sum = own;
	part[t] = own;
	for (uint step = 1; step < 256; step *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		uint other = t >= step ? part[t - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += other;
		part[t] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	return sum - own;
}

// A group of 256 has 1024 words, each thread four in a row.
uint4 scanned(uint4 v)
{
	v.y += v.x;
	v.z += v.y;
	v.w += v.z;
	return v;
}

// Scans the words of each group, and tells their sums.
kernel void scan_groups(global const uint4 *from, global uint4 *to, global uint *sums)
{
	local uint part[256];
	uint i = get_global_id(0);
	uint4 v = scanned(from[i]);
	uint before = sum_before(part, v.w);
	to[i] = v + before;
	if (get_local_id(0) == 255)
		sums[get_group_id(0)] = before + v.w;
}

// Adds to each group what the ones before it have.
kernel void add_before(global uint4 *to, global const uint *sums)
{
	uint group = get_group_id(0);
	if (group > 0)
		to[get_global_id(0)] += sums[group - 1];
}

// Tells the sums alone.
kernel void sum_groups(global const uint4 *from, global uint *sums)
{
	local uint part[256];
	uint4 v = from[get_global_id(0)];
	uint own = v.x + v.y + v.z + v.w, before = sum_before(part, own);
	if (get_local_id(0) == 255)
		sums[get_group_id(0)] = before + own;
}

// Scans the words of each group, given the sums of those to each group's end.
kernel void scan_behind(global const uint4 *from, global uint4 *to, global const uint *sums)
{
	local uint part[256];
	uint i = get_global_id(0), group = get_group_id(0);
	uint4 v = scanned(from[i]);
	uint before = sum_before(part, v.w);
	to[i] = v + before + (group > 0 ? sums[group - 1] : 0);
}

// Transforms of 1024 numbers after Stockham: each pass takes numbers that are far apart and leaves them so that the
// last one leaves all in order. @done is the length of what is transformed before a pass.
#define LENGTH 1024
float2 times(float2 a, float2 b)
{
	return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// One of ten passes over global memory; a thread has two numbers.
kernel void fourier_twos(global const float2 *from, global float2 *to, global const float2 *roots, uint done)
{
	uint i = get_global_id(0), j = i % (LENGTH / 2), k = j % done;
	global const float2 *x = from + (i / (LENGTH / 2)) * LENGTH;
	global float2 *y = to + (i / (LENGTH / 2)) * LENGTH + (j - k) * 2 + k;
	float2 a = x[j], b = times(x[j + LENGTH / 2], roots[k * (LENGTH / 2 / done)]);
	y[0] = a + b;
	y[done] = a - b;
}

// Transforms four numbers, the last three of which are multiplied by powers of @root first.
#define FOURS(a, b, c, d, root)                                                                                        \
	{                                                                                                              \
		float2 second = times(root, root), sum, difference, other, turned;                                     \
		b = times(b, root);                                                                                    \
		c = times(c, second);                                                                                  \
		d = times(d, times(second, root));                                                                     \
		sum = a + c;                                                                                           \
		difference = a - c;                                                                                    \
		other = b + d;                                                                                         \
		turned = (float2)(b.y - d.y, d.x - b.x);                                                               \
		a = sum + other;                                                                                       \
		b = difference + turned;                                                                               \
		c = sum - other;                                                                                       \
		d = difference - turned;                                                                               \
	}

// One of five passes; a thread has four numbers.
kernel void fourier_fours(global const float2 *from, global float2 *to, global const float2 *roots, uint done)
{
	uint i = get_global_id(0), j = i % (LENGTH / 4), k = j % done;
	global const float2 *x = from + (i / (LENGTH / 4)) * LENGTH + j;
	global float2 *y = to + (i / (LENGTH / 4)) * LENGTH + (j - k) * 4 + k;
	float2 a = x[0], b = x[LENGTH / 4], c = x[LENGTH / 2], d = x[LENGTH / 4 * 3];
	FOURS(a, b, c, d, roots[k * (LENGTH / 4 / done)])
	y[0] = a;
	y[done] = b;
	y[2 * done] = c;
	y[3 * done] = d;
}

// A group of 256 does all five passes, between which numbers change threads in local memory. Where that has banks,
// @apart places for 32 numbers leave fewer of them in one bank.
#define PLACE(i) ((i) + (i) / 32 * (apart - 32))
#define PUT(v, i)                                                                                                      \
	real[PLACE(i)] = v.x;                                                                                          \
	imaginary[PLACE(i)] = v.y;
#define TAKE(v, i) v = (float2)(real[PLACE(i)], imaginary[PLACE(i)]);
kernel void fourier_groups(global const float2 *from, global float2 *to, global const float2 *roots, uint apart)
{
	local float real[LENGTH / 32 * 34], imaginary[LENGTH / 32 * 34];
	uint t = get_local_id(0);
	global const float2 *x = from + get_group_id(0) * LENGTH + t;
	global float2 *y = to + get_group_id(0) * LENGTH + t;
	float2 a = x[0], b = x[LENGTH / 4], c = x[LENGTH / 2], d = x[LENGTH / 4 * 3];
	for (uint done = 1; done < LENGTH / 4; done *= 4) {
		uint k = t % done, at = (t - k) * 4 + k;
		FOURS(a, b, c, d, roots[k * (LENGTH / 4 / done)])
		barrier(CLK_LOCAL_MEM_FENCE);
		PUT(a, at) PUT(b, at + done) PUT(c, at + 2 * done) PUT(d, at + 3 * done)
		barrier(CLK_LOCAL_MEM_FENCE);
		TAKE(a, t) TAKE(b, t + LENGTH / 4) TAKE(c, t + LENGTH / 2) TAKE(d, t + LENGTH / 4 * 3)
	}
	FOURS(a, b, c, d, roots[t])
	y[0] = a;
	y[LENGTH / 4] = b;
	y[LENGTH / 2] = c;
	y[LENGTH / 4 * 3] = d;
}
