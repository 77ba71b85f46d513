// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// matmul.cc launches these kernels.

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
