// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// example_kernels.cc launches these kernels: what is written at first, and the stages to what a device is fast with.

// Every thread adds its word to one sum.
kernel void reduce_each(global const uint *from, global uint *sum)
{
	atomic_add(sum, from[get_global_id(0)]);
}

// Few threads add many words first.
kernel void reduce_rows(global const uint *from, global uint *sum, uint n)
{
	uint own = 0, threads = get_global_size(0);
	for (uint i = get_global_id(0); i < n; i += threads)
		own += from[i];
	atomic_add(sum, own);
}

// They read four words at once, and the threads of a group add what they have before one of them adds it to the sum.
kernel void reduce_groups(global const uint4 *from, global uint *sum, uint n)
{
	local uint part[256];
	uint t = get_local_id(0), threads = get_global_size(0);
	uint4 own = 0;
	for (uint i = get_global_id(0); i < n / 4; i += threads)
		own += from[i];
	part[t] = own.x + own.y + own.z + own.w;
	for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < step)
			part[t] += part[t + step];
	}
	if (t == 0)
		atomic_add(sum, part[0]);
}

// Neighbours read words in a row, and write words that are a row apart.
kernel void transpose_each(global const uint *from, global uint *to, uint n)
{
	uint i = get_global_id(0);
	to[i % n * n + i / n] = from[i];
}

// A group of 256 brings a tile of 32 x 32 words into local memory, whose rows are @row words apart, and writes its
// columns in a row.
kernel void transpose_tiles(global const uint *from, global uint *to, uint n, uint row)
{
	local uint tile[32 * 33];
	uint t = get_local_id(0), x = t % 32, y = t / 32, tiles = n / 32;
	uint left = get_group_id(0) % tiles * 32, top = get_group_id(0) / tiles * 32;
	for (uint k = 0; k < 32; k += 8)
		tile[(y + k) * row + x] = from[(top + y + k) * n + left + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < 32; k += 8)
		to[(left + y + k) * n + top + x] = tile[x * row + y + k];
}

// One thread an element, which reads a row and a column.
kernel void product_each(global const float *a, global const float *b, global float *c, uint n)
{
	uint i = get_global_id(0), x = i % n, y = i / n;
	float sum = 0;
	for (uint k = 0; k < n; k++)
		sum = fma(a[y * n + k], b[k * n + x], sum);
	c[i] = sum;
}

// The threads of a group share tiles of 16 x 16 in local memory.
kernel void product_tiles(global const float *a, global const float *b, global float *c, uint n)
{
	local float la[256], lb[256];
	uint t = get_local_id(0), x = t % 16, y = t / 16, tiles = n / 16;
	uint left = get_group_id(0) % tiles * 16, top = get_group_id(0) / tiles * 16;
	float sum = 0;
	for (uint k = 0; k < n; k += 16) {
		la[t] = a[(top + y) * n + k + x];
		lb[t] = b[(k + y) * n + left + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < 16; i++)
			sum = fma(la[y * 16 + i], lb[i * 16 + x], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[(top + y) * n + left + x] = sum;
}

// Each thread has 8 x 8 elements of a tile of 128 x 128, in two times two blocks of 4 x 4, so that it reads 16 words of
// local memory for 64 multiplications. Columns of the first matrix lie in rows there, which are 132 words apart.
#define ROW(s, v) s##0 = fma((float4)(v), y0, s##0); s##1 = fma((float4)(v), y1, s##1);
#define STORE(s, row)                                                                                                  \
	*(global float4 *)(c + (top + row) * n + left + 4 * x) = s##0;                                                 \
	*(global float4 *)(c + (top + row) * n + left + 4 * x + 64) = s##1;
#define LOAD(k)                                                                                                        \
	{                                                                                                              \
		part = *(global const float4 *)(from_a + (k));                                                         \
		other = *(global const float4 *)(from_b + (k) * n);                                                    \
	}
#define STEP(i)                                                                                                        \
	{                                                                                                              \
		float4 x0 = la4[i * 33 + y], x1 = la4[i * 33 + y + 16], y0 = lb4[i * 32 + x], y1 = lb4[i * 32 + x + 16]; \
		ROW(a, x0.x) ROW(b, x0.y) ROW(c, x0.z) ROW(d, x0.w)                                                    \
		ROW(e, x1.x) ROW(f, x1.y) ROW(g, x1.z) ROW(h, x1.w)                                                    \
	}
// What the next step needs is loaded while this one computes, if @AHEAD. The last step loads its own again: a branch
// around that took an H100's kernel so many registers that a unit had room for one group in place of two.
#define PRODUCT(name, AHEAD)                                                                                           \
	kernel void name(global const float *a, global const float *b, global float *c, uint n)                        \
	{                                                                                                              \
		local float4 la4[8 * 33], lb4[8 * 32];                                                                 \
		local float *la = (local float *)la4;                                                                  \
		uint t = get_local_id(0), x = t % 16, y = t / 16, tiles = n / 128;                                     \
		uint left = get_group_id(0) % tiles * 128, top = get_group_id(0) / tiles * 128;                        \
		uint row = t / 2, column = t % 2 * 4;                                                                  \
		global const float *from_a = a + (top + row) * n + column;                                             \
		global const float *from_b = b + t / 32 * n + left + t % 32 * 4;                                       \
		float4 a0 = 0, a1 = 0, b0 = 0, b1 = 0, c0 = 0, c1 = 0, d0 = 0, d1 = 0;                                 \
		float4 e0 = 0, e1 = 0, f0 = 0, f1 = 0, g0 = 0, g1 = 0, h0 = 0, h1 = 0;                                 \
		float4 part, other;                                                                                    \
		if (AHEAD)                                                                                             \
			LOAD(0)                                                                                        \
		for (uint k = 0; k < n; k += 8) {                                                                      \
			if (!AHEAD)                                                                                    \
				LOAD(k)                                                                                \
			la[column * 132 + row] = part.x;                                                               \
			la[(column + 1) * 132 + row] = part.y;                                                         \
			la[(column + 2) * 132 + row] = part.z;                                                         \
			la[(column + 3) * 132 + row] = part.w;                                                         \
			lb4[t] = other;                                                                                \
			barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
			if (AHEAD)                                                                                     \
				LOAD(min(k + 8, n - 8))                                                                \
			STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)                                \
			barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
		}                                                                                                      \
		STORE(a, 4 * y) STORE(b, 4 * y + 1) STORE(c, 4 * y + 2) STORE(d, 4 * y + 3)                            \
		STORE(e, 4 * y + 64) STORE(f, 4 * y + 65) STORE(g, 4 * y + 66) STORE(h, 4 * y + 67)                    \
	}
PRODUCT(product_blocks, 0)
PRODUCT(product_ahead, 1)
