// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels use warp functions, bit functions, integer and half-precision arithmetic, and all kinds of atomics.

extern "C" __global__ void votes(const int *in, unsigned *out)
{
	unsigned t = threadIdx.x;
	int v = in[t];
	unsigned *o = out + 12 * t;
	o[0] = __ballot_sync(~0u, v & 1);
	o[1] = __all_sync(~0u, v < 1000);
	o[2] = __any_sync(~0u, v == 7);
	o[3] = __match_any_sync(~0u, v);
	int same;
	o[4] = __match_all_sync(~0u, v & 0, &same);
	o[5] = same;
	o[6] = __shfl_sync(~0u, v, t + 3, 8);
	o[7] = __shfl_up_sync(~0u, v, 2, 16);
	o[8] = __shfl_down_sync(~0u, v, 5);
	o[9] = __shfl_xor_sync(~0u, v, 9);
	o[10] = v & 1 ? __activemask() : 0;
	o[11] = __popc(__ballot_sync(~0u, v > 3));
	__syncwarp();
}

extern "C" __global__ void bits(const unsigned *in, unsigned *out)
{
	unsigned t = threadIdx.x, v = in[t], *o = out + 10 * t;
	o[0] = __popc(v);
	o[1] = __clz(v);
	o[2] = __brev(v);
	o[3] = __ffs(v);
	o[4] = __byte_perm(v, ~v, 0x3715);
	o[5] = __funnelshift_l(v, ~v, t);
	o[6] = __umulhi(v, 0x9e3779b9u);
	o[7] = __sad(v, t, 3);
	o[8] = __mulhi((int)v, -12345);
	o[9] = __popcll((unsigned long long)v * v) + __clzll(v) + (int)v / 7 + v % 11 + (v >> 3 & 0x1f);
}

extern "C" __global__ void wide(const long long *in, long long *out)
{
	long long v = in[threadIdx.x], *o = out + 6 * threadIdx.x;
	o[0] = v * v + 3;
	o[1] = v / 1000003;
	o[2] = v % 1000003;
	o[3] = __mul64hi(v, v);
	o[4] = v >> (threadIdx.x & 63);
	o[5] = v > 0 ? (long long)((double)v * 1.5) : (long long)(float)v;
}

extern "C" __global__ void atomics(unsigned *u, int *s, unsigned long long *l, float *f, double *d)
{
	unsigned t = threadIdx.x;
	atomicAdd(u, t);
	atomicSub(u + 1, t);
	atomicMin(u + 2, t);
	atomicMax(u + 3, t);
	atomicInc(u + 4, 10);
	atomicDec(u + 5, 10);
	atomicAnd(u + 6, ~(1u << t % 32));
	atomicOr(u + 7, 1u << t % 32);
	atomicXor(u + 8, t);
	atomicMin(s, -(int)t);
	atomicMax(s + 1, (int)t);
	atomicAdd(l, 1ull << 33);
	atomicMax(l + 1, (unsigned long long)t << 40);
	atomicAdd(f, 0.5f);
	atomicAdd(d, 0.25);
	unsigned old = u[9], seen;
	do {
		seen = old;
		old = atomicCAS(u + 9, seen, seen * 3 + 1);
	} while (old != seen);
	if (atomicExch(u + 10, t) == t)
		u[11] = 1;
}

extern "C" __global__ void rounding(const float *in, float *out)
{
	unsigned t = threadIdx.x;
	float a = in[2 * t], b = in[2 * t + 1], *o = out + 12 * t;
	o[0] = __fadd_rz(a, b);
	o[1] = __fadd_ru(a, b);
	o[2] = __fmul_rd(a, b);
	o[3] = __fmaf_rn(a, b, a);
	o[4] = __fdiv_rn(a, b);
	o[5] = __fsqrt_rn(a < 0 ? -a : a);
	o[6] = __frcp_rz(b);
	o[7] = (float)__float2int_rn(a);
	o[8] = (float)__float2uint_rz(b);
	o[9] = __sinf(a) + __expf(b * 0.01f) + __log2f(a * a);
	o[10] = a < b ? a : b;
	o[11] = rsqrtf(b * b) + __saturatef(a);
}
