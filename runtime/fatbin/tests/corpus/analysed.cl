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

#define TILE 8

kernel void turned(global const uchar *from, global uchar *to, uint width, uint height)
{
	local uchar tile[TILE][TILE];
	uint x = get_local_id(0), y = get_local_id(1);
	uint left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
	tile[y][x] = from[(top + y) * width + left + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	to[(left + y) * height + top + x] = tile[x][y];
}
