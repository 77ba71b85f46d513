// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// FDTD-2D of PolyBench, LPS (Laplace's equation in three dimensions) of GPGPU-Sim's programs, and SRAD of Rodinia.

kernel void fdtd_ey(global float *ey, global const float *hz, uint width, float source)
{
	uint j = get_global_id(0), i = get_global_id(1), at = i * width + j;
	ey[at] = i == 0 ? source : ey[at] - 0.5f * (hz[at] - hz[at - width]);
}

kernel void fdtd_ex(global float *ex, global const float *hz, uint width)
{
	uint j = get_global_id(0), i = get_global_id(1), at = i * width + j;
	if (j > 0)
		ex[at] -= 0.5f * (hz[at] - hz[at - 1]);
}

kernel void fdtd_hz(global const float *ex, global const float *ey, global float *hz, uint width, uint height)
{
	uint j = get_global_id(0), i = get_global_id(1), at = i * width + j;
	if (j + 1 < width && i + 1 < height)
		hz[at] -= 0.7f * (ex[at + 1] - ex[at] + ey[at + width] - ey[at]);
}

// A group has a tile of 32 x 4 columns, and goes through all planes with three of them in local memory.
kernel void laplace(global const float *from, global float *to, uint width, uint height, uint depth)
{
	local float tile[3][6][34];
	uint x = get_global_id(0), y = get_global_id(1), i = get_local_id(0) + 1, j = get_local_id(1) + 1;
	uint plane = width * height, at = y * width + x;
	bool inside = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
	for (uint z = 0; z < depth; z++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		local float(*now)[34] = tile[z % 3];
		global const float *p = from + z * plane + at;
		now[j][i] = p[0];
		if (i == 1 && x > 0)
			now[j][0] = p[-1];
		if (i == 32 && x + 1 < width)
			now[j][33] = p[1];
		if (j == 1 && y > 0)
			now[0][i] = p[-(int)width];
		if (j == 4 && y + 1 < height)
			now[5][i] = p[width];
		barrier(CLK_LOCAL_MEM_FENCE);
		if (z < 2)
			continue;
		local float(*middle)[34] = tile[(z - 1) % 3];
		if (inside)
			to[(z - 1) * plane + at] =
				(middle[j][i - 1] + middle[j][i + 1] + middle[j - 1][i] + middle[j + 1][i] +
				 tile[(z - 2) % 3][j][i] + now[j][i]) /
				6;
	}
}

struct slopes {
	float north, south, west, east;
};

struct slopes slopes_at(global const float *image, uint x, uint y, uint width, uint height)
{
	uint at = y * width + x;
	float here = image[at];
	struct slopes s;
	s.north = image[y > 0 ? at - width : at] - here;
	s.south = image[y + 1 < height ? at + width : at] - here;
	s.west = image[x > 0 ? at - 1 : at] - here;
	s.east = image[x + 1 < width ? at + 1 : at] - here;
	return s;
}

// Tells how much of each point's differences is to go on.
kernel void srad_1(global const float *image, global float *north, global float *south, global float *west,
		   global float *east, global float *rate, uint width, uint height, float noise)
{
	uint x = get_global_id(0), y = get_global_id(1), at = y * width + x;
	struct slopes s = slopes_at(image, x, y, width, height);
	float here = image[at];
	float square = (s.north * s.north + s.south * s.south + s.west * s.west + s.east * s.east) / (here * here);
	float second = (s.north + s.south + s.west + s.east) / here;
	float top = 0.5f * square - 0.0625f * second * second, below = 1 + 0.25f * second;
	float q = (top / (below * below) - noise) / (noise * (1 + noise));
	north[at] = s.north;
	south[at] = s.south;
	west[at] = s.west;
	east[at] = s.east;
	rate[at] = clamp(1 / (1 + q), 0.0f, 1.0f);
}

kernel void srad_2(global float *image, global const float *north, global const float *south,
		   global const float *west, global const float *east, global const float *rate, uint width,
		   uint height, float lambda)
{
	uint x = get_global_id(0), y = get_global_id(1), at = y * width + x;
	float here = rate[at], below = rate[y + 1 < height ? at + width : at],
	      right = rate[x + 1 < width ? at + 1 : at];
	image[at] += 0.25f * lambda * (here * north[at] + below * south[at] + here * west[at] + right * east[at]);
}
