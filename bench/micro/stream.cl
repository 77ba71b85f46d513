// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// stream.cc launches these kernels. Thread t of @threads takes the places t, t + threads, t + 2 * threads, ... of an
// order of all elements, @rounds of them from round @first on: this makes nine kernels of three orders and three things
// to do there.

#define SEQUENTIAL(i) (i)
// Neighbours are 132 bytes apart, so no two of them are in one cache line.
#define SHIFTED(i) ((i) * 33)

uint mixed(uint x)
{
	x = (x ^ (x >> 16)) * 0x7feb352d;
	x = (x ^ (x >> 15)) * 0x846ca68b;
	return x ^ (x >> 16);
}
#define RANDOM(i) mixed(i)

#define READ                                                                                                           \
	sum += from[at];
#define WRITE                                                                                                          \
	to[at] = at ^ salt;
#define BOTH                                                                                                           \
	to[at] = from[at] ^ salt;

#define STREAM(name, ORDER, WORK)                                                                                      \
	kernel void name(global const uint *from, global uint *to, global uint *sums, uint mask, uint threads,         \
			 uint first, uint rounds, uint salt)                                                           \
	{                                                                                                              \
		uint t = get_global_id(0), sum = 0;                                                                    \
		for (uint k = 0; k < rounds; k++) {                                                                    \
			uint at = ORDER(t + (first + k) * threads) & mask;                                             \
			WORK                                                                                           \
		}                                                                                                      \
		sums[t] = sum;                                                                                         \
	}

// Each word gets what its number says.
kernel void fill_words(global uint *words, uint n, uint threads)
{
	for (uint i = get_global_id(0); i < n; i += threads)
		words[i] = i * 2654435761u;
}

STREAM(read_sequential, SEQUENTIAL, READ)
STREAM(read_shifted, SHIFTED, READ)
STREAM(read_random, RANDOM, READ)
STREAM(write_sequential, SEQUENTIAL, WRITE)
STREAM(write_shifted, SHIFTED, WRITE)
STREAM(write_random, RANDOM, WRITE)
STREAM(both_sequential, SEQUENTIAL, BOTH)
STREAM(both_shifted, SHIFTED, BOTH)
STREAM(both_random, RANDOM, BOTH)

// Each thread reads vectors of one to four words in a row with its neighbours'; @mask is that of vectors.
#define VECTOR(name, type, LOAD, SUM)                                                                                  \
	kernel void name(global const uint *from, global uint *sums, uint mask, uint threads, uint first,              \
			 uint rounds)                                                                                  \
	{                                                                                                              \
		uint t = get_global_id(0), sum = 0;                                                                    \
		for (uint k = 0; k < rounds; k++) {                                                                    \
			uint at = (t + (first + k) * threads) & mask;                                                  \
			type v = LOAD;                                                                                 \
			sum += SUM;                                                                                    \
		}                                                                                                      \
		sums[t] = sum;                                                                                         \
	}

VECTOR(read_1, uint, from[at], v)
VECTOR(read_2, uint2, ((global const uint2 *)from)[at], v.x + v.y)
VECTOR(read_3, uint3, vload3(at, from), v.x + v.y + v.z)
VECTOR(read_4, uint4, ((global const uint4 *)from)[at], v.x + v.y + v.z + v.w)

// Each thread copies such vectors.
#define COPY(name, type, LOAD, STORE)                                                                                  \
	kernel void name(global const uint *from, global uint *to, uint mask, uint threads, uint first, uint rounds,   \
			 uint salt)                                                                                    \
	{                                                                                                              \
		uint t = get_global_id(0);                                                                             \
		for (uint k = 0; k < rounds; k++) {                                                                    \
			uint at = (t + (first + k) * threads) & mask;                                                  \
			type v = LOAD ^ salt;                                                                          \
			STORE;                                                                                         \
		}                                                                                                      \
	}

COPY(copy_1, uint, from[at], to[at] = v)
COPY(copy_2, uint2, ((global const uint2 *)from)[at], ((global uint2 *)to)[at] = v)
COPY(copy_3, uint3, vload3(at, from), vstore3(v, at, to))
COPY(copy_4, uint4, ((global const uint4 *)from)[at], ((global uint4 *)to)[at] = v)
