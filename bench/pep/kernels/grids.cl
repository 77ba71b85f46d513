// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Grids: lbm and stencil of Parboil, pathfinder, srad (both versions) and hotspot of Rodinia.

// One step of D3Q19: the flows into a cell meet there, and each goes on to the cell that it flows to. The arrays have
// one part for each of the 19 directions, with room for a plane of @plane cells around.
#define FLOWS 19
constant int way_x[FLOWS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1};
constant int way_y[FLOWS] = {0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
constant int way_z[FLOWS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};

kernel void collide_and_stream(global const float *from, global float *to, uint cells, int row, int plane, float omega)
{
	int at = (int)get_global_id(0) + 2 * plane;
	float flow[FLOWS], density = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
	for (uint d = 0; d < FLOWS; d++) {
		flow[d] = from[d * cells + at];
		density += flow[d];
	}
#pragma unroll
	for (uint d = 0; d < FLOWS; d++) {
		ux += way_x[d] * flow[d];
		uy += way_y[d] * flow[d];
		uz += way_z[d] * flow[d];
	}
	ux /= density;
	uy /= density;
	uz /= density;
	float still = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
	for (uint d = 0; d < FLOWS; d++) {
		float weight = d == 0 ? 1 / 3.0f : d < 7 ? 1 / 18.0f : 1 / 36.0f;
		float along = way_x[d] * ux + way_y[d] * uy + way_z[d] * uz;
		float even = weight * density * (still + 3 * along + 4.5f * along * along);
		to[d * cells + at + way_x[d] + way_y[d] * row + way_z[d] * plane] =
			(1 - omega) * flow[d] + omega * even;
	}
}

// Seven points: a group of 32 x 4 threads has two columns each, and goes up plane by plane with three of them in
// registers. The plane has @width x @height points, of which the outer ones stay.
#define WIDE 64
#define HIGH 4
kernel void stencil_hybrid(global const float *from, global float *to, uint width, uint height, uint depth, float inner,
			   float outer)
{
	local float plane[HIGH][WIDE];
	uint tx = get_local_id(0), ty = get_local_id(1);
	uint x = get_group_id(0) * WIDE + tx + 1, second = x + WIDE / 2, y = get_group_id(1) * HIGH + ty + 1;
	uint at = y * width + x, at2 = y * width + second, step = width * height;
	float below = from[at], below2 = from[at2], here = from[at + step], here2 = from[at2 + step];
	for (uint z = 1; z + 1 < depth; z++) {
		at += step;
		at2 += step;
		float above = from[at + step], above2 = from[at2 + step];
		plane[ty][tx] = here;
		plane[ty][tx + WIDE / 2] = here2;
		barrier(CLK_LOCAL_MEM_FENCE);
		float left = tx ? plane[ty][tx - 1] : from[at - 1], right = plane[ty][tx + 1];
		float left2 = plane[ty][tx + WIDE / 2 - 1];
		float right2 = tx + 1 < WIDE / 2 ? plane[ty][tx + WIDE / 2 + 1] : from[at2 + 1];
		float north = ty ? plane[ty - 1][tx] : from[at - width];
		float north2 = ty ? plane[ty - 1][tx + WIDE / 2] : from[at2 - width];
		float south = ty + 1 < HIGH ? plane[ty + 1][tx] : from[at + width];
		float south2 = ty + 1 < HIGH ? plane[ty + 1][tx + WIDE / 2] : from[at2 + width];
		to[at] = outer * (below + above + left + right + north + south) - inner * here;
		to[at2] = outer * (below2 + above2 + left2 + right2 + north2 + south2) - inner * here2;
		barrier(CLK_LOCAL_MEM_FENCE);
		below = here;
		below2 = here2;
		here = above;
		here2 = above2;
	}
}

// The cheapest ways down through @rows rows: a group has 256 columns, of which one on each side is right no longer
// after each row.
#define GROUP 256
kernel void find_paths(global const int *cost, global const int *from, global int *to, uint columns, uint first, uint rows)
{
	local int before[GROUP], after[GROUP];
	int t = get_local_id(0), inner = GROUP - 2 * (int)rows;
	int x = (int)get_group_id(0) * inner - (int)rows + t, last = (int)columns - 1;
	bool is_there = x >= 0 && x <= last;
	int low = max(0, (int)rows - (int)get_group_id(0) * inner), high = min(GROUP - 1, last - x + t);
	int west = max(t - 1, low), east = min(t + 1, high);
	before[t] = is_there ? from[x] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	bool is_done = false;
	for (int i = 0; i < (int)rows; i++) {
		is_done = t >= i + 1 && t <= GROUP - i - 2 && is_there;
		if (is_done) {
			int shortest = min(min(before[west], before[t]), before[east]);
			after[t] = shortest + cost[columns * (first + i) + x];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (is_done)
			before[t] = after[t];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (is_done)
		to[x] = after[t];
}

kernel void extract(global float *image, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		image[i] = native_exp(image[i] / 255);
}

// srad_v1: an image by columns of @rows points, whose neighbours' rows and columns are looked up.
kernel void srad_by_lists(global const float *image, global const int *north_of, global const int *south_of,
			  global const int *east_of, global const int *west_of, global float *north, global float *south,
			  global float *east, global float *west, global float *rate, uint rows, uint columns,
			  float noise)
{
	uint i = get_global_id(0);
	if (i >= rows * columns)
		return;
	uint row = i % rows, column = i / rows;
	float here = image[i];
	float n = image[north_of[row] + rows * column] - here, s = image[south_of[row] + rows * column] - here;
	float w = image[row + rows * west_of[column]] - here, e = image[row + rows * east_of[column]] - here;
	float square = (n * n + s * s + w * w + e * e) / (here * here), laplace = (n + s + w + e) / here;
	float top = 0.5f * square - 0.0625f * laplace * laplace, below = 1 + 0.25f * laplace;
	float q = (top / (below * below) - noise) / (noise * (1 + noise));
	north[i] = n;
	south[i] = s;
	west[i] = w;
	east[i] = e;
	rate[i] = clamp(1 / (1 + q), 0.0f, 1.0f);
}

// srad_v2: tiles in local memory.
#define TILE 16
kernel void srad_by_tiles(global const float *image, global float *north, global float *south, global float *east,
			  global float *west, global float *rate, uint columns, uint rows, float noise)
{
	local float middle[TILE][TILE], result[TILE][TILE];
	local float above[TILE][TILE], under[TILE][TILE], right[TILE][TILE], left[TILE][TILE];
	uint tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1), at = y * columns + x;
	above[ty][tx] = image[y > 0 ? at - columns : at];
	under[ty][tx] = image[y + 1 < rows ? at + columns : at];
	left[ty][tx] = image[x > 0 ? at - 1 : at];
	right[ty][tx] = image[x + 1 < columns ? at + 1 : at];
	middle[ty][tx] = image[at];
	barrier(CLK_LOCAL_MEM_FENCE);
	float here = middle[ty][tx];
	float n = (ty ? middle[ty - 1][tx] : above[ty][tx]) - here;
	float s = (ty + 1 < TILE ? middle[ty + 1][tx] : under[ty][tx]) - here;
	float w = (tx ? middle[ty][tx - 1] : left[ty][tx]) - here;
	float e = (tx + 1 < TILE ? middle[ty][tx + 1] : right[ty][tx]) - here;
	float square = (n * n + s * s + w * w + e * e) / (here * here), laplace = (n + s + w + e) / here;
	float top = 0.5f * square - 0.0625f * laplace * laplace, below = 1 + 0.25f * laplace;
	float q = (top / (below * below) - noise) / (noise * (1 + noise));
	result[ty][tx] = clamp(1 / (1 + q), 0.0f, 1.0f);
	barrier(CLK_LOCAL_MEM_FENCE);
	rate[at] = result[ty][tx];
	north[at] = n;
	south[at] = s;
	east[at] = e;
	west[at] = w;
}

// hotspot: @steps steps on tiles that overlap by as many points. What lies outside is like the edge.
kernel void heat(global const float *power, global const float *from, global float *to, int columns, int rows, int steps,
		 float across, float down, float up, float factor, float ambient)
{
	local float now[TILE][TILE], drawn[TILE][TILE], later[TILE][TILE];
	int tx = get_local_id(0), ty = get_local_id(1), inner = TILE - 2 * steps;
	int left = (int)get_group_id(0) * inner - steps, top = (int)get_group_id(1) * inner - steps;
	int x = left + tx, y = top + ty, at = y * columns + x;
	bool is_there = x >= 0 && x < columns && y >= 0 && y < rows;
	now[ty][tx] = is_there ? from[at] : 0;
	drawn[ty][tx] = is_there ? power[at] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	int west = max(tx - 1, max(0, -left)), east = min(tx + 1, min(TILE - 1, columns - 1 - left));
	int north = max(ty - 1, max(0, -top)), south = min(ty + 1, min(TILE - 1, rows - 1 - top));
	bool is_done = false;
	for (int i = 0; i < steps; i++) {
		is_done = is_there && tx > i && tx < TILE - 1 - i && ty > i && ty < TILE - 1 - i;
		if (is_done) {
			float here = now[ty][tx];
			later[ty][tx] = here + factor * (drawn[ty][tx] +
							 (now[south][tx] + now[north][tx] - 2 * here) * down +
							 (now[ty][east] + now[ty][west] - 2 * here) * across +
							 (ambient - here) * up);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (is_done)
			now[ty][tx] = later[ty][tx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (is_done)
		to[at] = later[ty][tx];
}
