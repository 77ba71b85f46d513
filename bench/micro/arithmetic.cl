// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// arithmetic.cc launches these kernels. Each thread has one chain of operations that need each other, or four, which is
// enough to keep a unit busy. Each step is 128 operations of a chain, or 32 of each of four: with 32 in all the three
// instructions that count steps took a tenth of the rate. What they are done with is known at run time alone, so no
// compiler makes one of several.

#define FOUR(OP, x, y, z, w) OP(x) OP(y) OP(z) OP(w)
#define SIXTEEN(OP, x, y, z, w) FOUR(OP, x, y, z, w) FOUR(OP, x, y, z, w) FOUR(OP, x, y, z, w) FOUR(OP, x, y, z, w)
#define STEP(OP, x, y, z, w)                                                                                           \
	SIXTEEN(OP, x, y, z, w) SIXTEEN(OP, x, y, z, w) SIXTEEN(OP, x, y, z, w) SIXTEEN(OP, x, y, z, w)                \
	SIXTEEN(OP, x, y, z, w) SIXTEEN(OP, x, y, z, w) SIXTEEN(OP, x, y, z, w) SIXTEEN(OP, x, y, z, w)

#define CHAINS(name, type, OP, BITS)                                                                                   \
	kernel void name##_1(global uint *out, uint ia, uint ib, uint steps)                                           \
	{                                                                                                              \
		uint t = get_global_id(0);                                                                             \
		type a = (type)ia, b = (type)ib, x = (type)(t & 15) + a;                                               \
		for (uint i = 0; i < steps; i++) {                                                                     \
			STEP(OP, x, x, x, x)                                                                           \
		}                                                                                                      \
		out[t] = BITS(x);                                                                                      \
	}                                                                                                              \
	kernel void name##_4(global uint *out, uint ia, uint ib, uint steps)                                           \
	{                                                                                                              \
		uint t = get_global_id(0);                                                                             \
		type a = (type)ia, b = (type)ib, x = (type)(t & 15) + a, y = x + a, z = y + a, w = z + a;              \
		for (uint i = 0; i < steps; i++) {                                                                     \
			STEP(OP, x, y, z, w)                                                                           \
		}                                                                                                      \
		out[t] = BITS(x) ^ BITS(y) ^ BITS(z) ^ BITS(w);                                                        \
	}

#define SAME(x) (x)
#define HALVES(x) ((uint)(as_ulong(x) >> 32) ^ (uint)as_ulong(x))

#define MIX(x) x = (x ^ a) + b;
#define MAD(x) x = x * a + b;
#define ADD(x) x = x + b;
#define MULTIPLY(x) x = x * b;
#define FMA(x) x = fma(x, b, a);
#define DIVIDE(x) x = a / x;

CHAINS(int_mix, uint, MIX, SAME)
CHAINS(int_mad, uint, MAD, SAME)
CHAINS(float_add, float, ADD, as_uint)
CHAINS(float_multiply, float, MULTIPLY, as_uint)
CHAINS(float_fma, float, FMA, as_uint)
CHAINS(float_divide, float, DIVIDE, as_uint)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
CHAINS(double_fma, double, FMA, HALVES)
#endif

// Threads read an array in a row, four words of it in a round, and do @work times four multiplications and additions
// with each word: all points of a roofline are of this one kernel. Four loads are under way at a time, and the four
// chains do not wait for each other. The first loop is written out, as a compiler does not unroll one whose end it does
// not know, and counting would take almost as many instructions as the arithmetic. With @a and @b of one all numbers
// are small and whole.
#define FMAS(x) FMA(x) FMA(x) FMA(x) FMA(x)
#define WORDS FMAS(x) FMAS(y) FMAS(z) FMAS(w)
#define WORD(i) (float)(from[(t + (4 * (first + k) + i) * threads) & mask] & 15)
kernel void roofline(global const uint *from, global uint *sums, uint mask, uint threads, uint first, uint rounds,
		     uint work, uint ia, uint ib)
{
	uint t = get_global_id(0);
	float a = (float)ia, b = (float)ib, sum = 0;
	for (uint k = 0; k < rounds; k++) {
		float x = WORD(0), y = WORD(1), z = WORD(2), w = WORD(3);
		for (uint i = 0; i < work >> 3; i++) {
			WORDS WORDS WORDS WORDS WORDS WORDS WORDS WORDS
		}
		for (uint i = 0; i < (work & 7); i++) {
			WORDS
		}
		sum += (x + y) + (z + w);
	}
	sums[t] = (uint)sum;
}
