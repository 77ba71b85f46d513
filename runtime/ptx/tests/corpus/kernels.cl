// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The same kinds of kernels are here in OpenCL C.

kernel void vector_add(global const float *a, global const float *b, global float *c, uint n)
{
	size_t i = get_global_id(0);
	if (i < n)
		c[i] = a[i] + b[i];
}

kernel void scalar_product(global const float *a, global const float *b, global float *out, local float *part, uint n)
{
	size_t l = get_local_id(0);
	float s = 0;
	for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
		s += a[i] * b[i];
	part[l] = s;
	for (size_t step = get_local_size(0) / 2; step; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < step)
			part[l] += part[l + step];
	}
	if (l == 0)
		out[get_group_id(0)] = part[0];
}

constant int table[4] = {3, 1, 4, 1};

kernel void collatz(global const uint *in, global uint *out, uint n)
{
	size_t i = get_global_id(0);
	if (i >= n)
		return;
	ulong v = in[i];
	uint count = 0;
	while (v != 1 && count < 1000) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		count++;
	}
	out[i] = count + table[i & 3];
}

kernel void count_bytes(global const uchar *in, global uint *bins, uint n)
{
	for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&bins[in[i]]);
}

kernel void swizzle(global const float4 *in, global float4 *out, global const short2 *s, global long2 *l)
{
	size_t i = get_global_id(0);
	float4 v = in[i];
	out[i] = v.wzyx * (float4)(1, 2, 3, 4) + v.xxyy;
	l[i] = convert_long2(s[i]) * (long2)(1000000007, -3);
}

kernel void own_array(global const int *in, global int *out)
{
	int a[8];
	size_t i = get_global_id(0);
	for (int j = 0; j < 8; j++)
		a[j] = in[8 * i + j];
	int at = in[8 * i] & 7;
	a[at] = -a[7 - at];
	int s = 0;
	for (int j = 0; j < 8; j++)
		s = s * 31 + a[(j + at) & 7];
	out[i] = s;
}
