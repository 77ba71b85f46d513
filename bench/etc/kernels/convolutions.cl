// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Convolutions of PolyBench (2DCONV, 3DCONV) and of CUDA's samples (CONS: rows first, then columns).

kernel void convolve_2d(global const float *a, global float *b, uint width, uint height)
{
	uint x = get_global_id(0), y = get_global_id(1);
	if (x == 0 || y == 0 || x + 1 >= width || y + 1 >= height)
		return;
	global const float *p = a + y * width + x;
	b[y * width + x] = 0.2f * p[-(int)width - 1] + 0.5f * p[-1] - 0.8f * p[width - 1] - 0.3f * p[-(int)width] +
			   0.6f * p[0] - 0.9f * p[width] + 0.4f * p[1 - (int)width] + 0.7f * p[1] +
			   0.1f * p[width + 1];
}

kernel void convolve_3d(global const float *a, global float *b, uint width, uint height, uint depth)
{
	uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	if (x == 0 || y == 0 || z == 0 || x + 1 >= width || y + 1 >= height || z + 1 >= depth)
		return;
	int row = width, plane = width * height;
	global const float *p = a + (z * height + y) * width + x;
	b[(z * height + y) * width + x] = 2 * p[-plane - row - 1] + 4 * p[plane - row - 1] + 5 * p[-plane - 1] +
					  7 * p[plane - 1] - 8 * p[-plane + row - 1] + 10 * p[plane + row - 1] -
					  3 * p[-row] + 6 * p[0] - 9 * p[row] + 2 * p[-plane - row + 1] +
					  4 * p[plane - row + 1];
}

#define RADIUS 8

kernel void convolve_rows(global const float *from, global float *to, global const float *weights, uint width)
{
	uint x = get_global_id(0), y = get_global_id(1);
	float sum = 0;
	for (int k = -RADIUS; k <= RADIUS; k++) {
		int at = (int)x + k;
		if (at >= 0 && at < (int)width)
			sum += weights[k + RADIUS] * from[y * width + at];
	}
	to[y * width + x] = sum;
}

kernel void convolve_columns(global const float *from, global float *to, global const float *weights, uint width,
			     uint height)
{
	uint x = get_global_id(0), y = get_global_id(1);
	float sum = 0;
	for (int k = -RADIUS; k <= RADIUS; k++) {
		int at = (int)y + k;
		if (at >= 0 && at < (int)height)
			sum += weights[k + RADIUS] * from[at * width + x];
	}
	to[y * width + x] = sum;
}
