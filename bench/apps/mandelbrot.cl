// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// mandelbrot.cc launches these kernels.

// A contracted multiplication and addition would give another result near the rim of the set.
#pragma OPENCL FP_CONTRACT OFF

kernel void escape(global uint *steps, uint width, uint height, float left, float top, float pixel, uint most)
{
	uint x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	float cr = left + pixel * x, ci = top + pixel * y;
	float zr = 0, zi = 0;
	uint s = 0;
	while (s < most && zr * zr + zi * zi <= 4) {
		float next = zr * zr - zi * zi + cr;
		zi = 2 * zr * zi + ci;
		zr = next;
		s++;
	}
	steps[(size_t)y * width + x] = s;
}
