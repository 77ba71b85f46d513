// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These are the four programs in CUDA, for nvcc and for clang without the toolkit. With REGIONS the lanes of a warp
// share the work of a thread in SIMD regions, for het-ptx's uniform-simt; without it they are threads.
#if defined(__clang__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include <__clang_cuda_builtin_vars.h>
#define atomicAdd(p, v) __nvvm_atom_add_gen_f(p, v)
#define __shfl_xor_sync(mask, v, distance) __nvvm_shfl_sync_bfly_f32(mask, v, distance, 31)
#endif

#include "steps.h"

#define LANES 32

// Goes over this thread's part of n: threads take turns.
#define FOR_MINE(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

__device__ static inline float square_root(float v)
{
	float x = v;
	for (int s = 0; s < NEWTON_STEPS; s++)
		x = 0.5f * (x + v / x);
	return x;
}

extern "C" __global__ void matvec(const float *a, const float *b, float *out, int n)
{
	FOR_MINE(row, n) {
		float s = 0;
		for (int i = 0; i < n; i++)
			s += a[(long)row * n + i] * b[i];
		out[row] = s;
	}
}

extern "C" __global__ void newton(const float *a, const float *, float *out, int n)
{
	FOR_MINE(i, n)
		out[i] = square_root(a[i]);
}

extern "C" __global__ void dot(const float *a, const float *b, float *out, int n)
{
	float s = 0;
	FOR_MINE(i, n)
		s += a[i] * b[i];
	atomicAdd(out, s);
}

extern "C" __global__ void vadd(const float *a, const float *b, float *out, int n)
{
	FOR_MINE(i, n)
		out[i] = a[i] + b[i];
}

__device__ static inline float sum_of_lanes(float s)
{
	for (int d = LANES / 2; d; d /= 2)
		s += __shfl_xor_sync(~0u, s, d);
	return s;
}

#ifndef REGIONS

// Each warp takes a row.
extern "C" __global__ void matvec_simd(const float *a, const float *b, float *out, int n)
{
	int warps = gridDim.x * blockDim.x / LANES, lane = threadIdx.x % LANES;
	for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; row < n; row += warps) {
		float s = 0;
		for (int i = lane; i < n; i += LANES)
			s += a[(long)row * n + i] * b[i];
		s = sum_of_lanes(s);
		if (lane == 0)
			out[row] = s;
	}
}

#else

extern "C" __device__ void __het_simd_enter(void);
extern "C" __device__ void __het_simd_exit(void);
extern "C" __device__ int __het_simd_lane(void);

// Finds this thread's part of n, which is one stretch, as OpenMP's static schedule gives.
__device__ static inline void stretch(int n, int *begin, int *end)
{
	int threads = gridDim.x * blockDim.x, each = (n + threads - 1) / threads;
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
	*begin = first < n ? first : n;
	*end = first + each < n ? first + each : n;
}

extern "C" __global__ void matvec_simd(const float *a, const float *b, float *out, int n)
{
	int begin, end;
	stretch(n, &begin, &end);
	for (int row = begin; row < end; row++) {
		float s = 0;
		__het_simd_enter();
		for (int i = __het_simd_lane(); i < n; i += LANES)
			s += a[(long)row * n + i] * b[i];
		s = sum_of_lanes(s);
		__het_simd_exit();
		out[row] = s;
	}
}

extern "C" __global__ void newton_simd(const float *a, const float *, float *out, int n)
{
	int begin, end;
	stretch(n, &begin, &end);
	__het_simd_enter();
	for (int i = begin + __het_simd_lane(); i < end; i += LANES)
		out[i] = square_root(a[i]);
	__het_simd_exit();
}

extern "C" __global__ void dot_simd(const float *a, const float *b, float *out, int n)
{
	int begin, end;
	float s = 0;
	stretch(n, &begin, &end);
	__het_simd_enter();
	for (int i = begin + __het_simd_lane(); i < end; i += LANES)
		s += a[i] * b[i];
	s = sum_of_lanes(s);
	__het_simd_exit();
	atomicAdd(out, s);
}

extern "C" __global__ void vadd_simd(const float *a, const float *b, float *out, int n)
{
	int begin, end;
	stretch(n, &begin, &end);
	__het_simd_enter();
	for (int i = begin + __het_simd_lane(); i < end; i += LANES)
		out[i] = a[i] + b[i];
	__het_simd_exit();
}

#endif
