// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels of which the analysis knows much, little and nothing.

kernel void scale(global const uchar *from, global uchar *to, uint n)
{
	size_t i = get_global_id(0);
	if (i < n)
		to[i] = 3 * from[i] + 1;
}

kernel void rows(global const uchar *from, global uchar *to, uint width)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	to[y * width + x] = from[y * width + x] + (uchar)y;
}

kernel void count(global const uchar *from, volatile global uint *bins)
{
	atomic_inc(&bins[from[get_global_id(0)]]);
}
