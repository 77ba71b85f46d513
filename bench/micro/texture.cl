// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// texture.cc launches these kernels, which read words through textures. In PTX these are numbers that the driver gives.
#ifdef BUILT_BY_OPENCL
#define TEXTURE read_only image1d_buffer_t
#define FETCH(from, i) read_imageui(from, (int)(i)).x
#else
#define TEXTURE ulong
#define FETCH(from, i) fetched(from, i)
uint fetched(ulong from, uint i)
{
	uint x, y, z, w;
	__asm__ volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
			 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
			 : "l"(from), "r"(i));
	return x;
}
#endif

// Each load gives the place of the next.
kernel void chase_texture(TEXTURE ring, global uint *out, uint start, uint warm, uint steps)
{
	uint at = start;
	for (uint i = 0; i < warm; i++)
		at = FETCH(ring, at);
	for (uint i = 0; i < steps; i++)
		at = FETCH(ring, at);
	out[0] = at;
}

// These are the orders of stream.cl.
#define SEQUENTIAL(i) (i)
#define SHIFTED(i) ((i) * 33)

uint mixed(uint x)
{
	x = (x ^ (x >> 16)) * 0x7feb352d;
	x = (x ^ (x >> 15)) * 0x846ca68b;
	return x ^ (x >> 16);
}
#define RANDOM(i) mixed(i)

#define STREAM(name, ORDER)                                                                                            \
	kernel void name(TEXTURE from, global uint *sums, uint mask, uint threads, uint first, uint rounds)            \
	{                                                                                                              \
		uint t = get_global_id(0), sum = 0;                                                                    \
		for (uint k = 0; k < rounds; k++)                                                                      \
			sum += FETCH(from, ORDER(t + (first + k) * threads) & mask);                                   \
		sums[t] = sum;                                                                                         \
	}
STREAM(texture_sequential, SEQUENTIAL)
STREAM(texture_shifted, SHIFTED)
STREAM(texture_random, RANDOM)
