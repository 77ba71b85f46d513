// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// apps/matmul.cc and mpi/matmul.cc launch these kernels.

#define TILE 16

kernel void multiply(global const float *a, global const float *b, global float *c, uint n)
{
	local float left[TILE][TILE], right[TILE][TILE];
	uint x = get_global_id(0), y = get_global_id(1);
	uint i = get_local_id(0), j = get_local_id(1);
	float sum = 0;
	for (uint k = 0; k < n; k += TILE) {
		left[j][i] = a[y * n + k + i];
		right[j][i] = b[(k + j) * n + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint t = 0; t < TILE; t++)
			sum += left[j][t] * right[t][i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[y * n + x] = sum;
}

// Adds to c what `depth` columns of a, from `first` on, and as many rows, b, make. With `fresh` c had nothing before.
kernel void multiply_part(global const float *a, global const float *b, global float *c, uint n, uint first, uint depth,
			  uint fresh)
{
	local float left[TILE][TILE], right[TILE][TILE];
	uint x = get_global_id(0), y = get_global_id(1);
	uint i = get_local_id(0), j = get_local_id(1);
	float sum = fresh ? 0 : c[y * n + x];
	for (uint k = 0; k < depth; k += TILE) {
		left[j][i] = a[y * n + first + k + i];
		right[j][i] = b[(k + j) * n + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint t = 0; t < TILE; t++)
			sum += left[j][t] * right[t][i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[y * n + x] = sum;
}
