// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// stencil.cc launches these kernels.

kernel void relax(global const float *from, global float *to, uint width, uint height, float rate)
{
	uint x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	size_t i = (size_t)y * width + x;
	float here = from[i];
	if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
		here += rate * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] - 4 * here);
	to[i] = here;
}
