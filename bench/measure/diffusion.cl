// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// diffusion.h declares these kernels.

kernel void unpack(global const uchar *bytes, global float *floats, int n)
{
	int i = get_global_id(0);
	if (i < n)
		floats[i] = bytes[i];
}

float flow(float there, float here, float edge)
{
	float d = there - here;
	float r = d / edge;
	return d / (1 + r * r);
}

kernel void diffuse(global const float *from, global float *to, int width, int height, float edge, float rate)
{
	int i = get_global_id(0);
	int row = width * 3;
	int y = i / row;
	int x = i % row;
	if (y >= height)
		return;
	float here = from[i];
	float sum = 0;
	if (x >= 3)
		sum += flow(from[i - 3], here, edge);
	if (x + 3 < row)
		sum += flow(from[i + 3], here, edge);
	if (y > 0)
		sum += flow(from[i - row], here, edge);
	if (y + 1 < height)
		sum += flow(from[i + row], here, edge);
	to[i] = here + rate * sum;
}

kernel void pack(global const float *floats, global uchar *bytes, int n)
{
	int i = get_global_id(0);
	if (i < n)
		bytes[i] = convert_uchar_sat(floats[i] + 0.5f);
}
