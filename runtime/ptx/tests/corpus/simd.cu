// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels have SIMD regions: the 32 lanes of the warp that a thread becomes share what it does there.

extern "C" __device__ void __het_simd_enter(void);
extern "C" __device__ void __het_simd_exit(void);
extern "C" __device__ int __het_simd_lane(void);

#define LANES 32

extern "C" __global__ void count(unsigned *c)
{
	atomicAdd(&c[0], 1u);
	__het_simd_enter();
	int lane = __het_simd_lane();
	atomicAdd(&c[1], 1u);
	if (lane % 3 == 0)
		atomicAdd(&c[2], 1u);
	__het_simd_exit();
	atomicAdd(&c[3], 1u);
}

extern "C" __device__ __noinline__ unsigned long long tally(unsigned long long *c, unsigned v)
{
	if (v & 1)
		return atomicAdd(c, (unsigned long long)v << 20);
	return atomicAdd(c, 1ull);
}

extern "C" __device__ __noinline__ unsigned descend(unsigned long long *c, unsigned depth)
{
	if (depth == 0)
		return 0;
	tally(c, 2 * depth);
	return 1 + descend(c, depth - 1);
}

// The function has a region of its own.
extern "C" __device__ __noinline__ void spread(unsigned long long *c, int n)
{
	tally(&c[2], 0);
	__het_simd_enter();
	for (int i = __het_simd_lane(); i < n; i += LANES)
		tally(&c[3], i);
	__het_simd_exit();
}

// Functions are called outside, inside, and by some of the lanes.
extern "C" __global__ void nested(unsigned long long *c, unsigned *seen)
{
	unsigned levels = descend(&c[0], 3);
	__het_simd_enter();
	int lane = __het_simd_lane();
	if (lane < 5)
		levels += descend(&c[1], lane);
	__het_simd_exit();
	spread(c, 70);
	__het_simd_enter();
	lane = __het_simd_lane();
	seen[threadIdx.x * LANES + lane] = levels + (lane < 5);
	__het_simd_exit();
}

// Every lane gets what the atomic of its thread returned.
extern "C" __global__ void tickets(unsigned long long *next, unsigned long long *out, float *sum, float *was)
{
	unsigned long long mine = atomicAdd(next, 0x100000001ull);
	float before = atomicAdd(sum, 0.5f);
	__het_simd_enter();
	int lane = __het_simd_lane();
	out[threadIdx.x * LANES + lane] = mine;
	was[threadIdx.x * LANES + lane] = before;
	__het_simd_exit();
}

extern "C" __global__ void steps(const unsigned *in, unsigned *out, int n)
{
	int chunk = n / (gridDim.x * blockDim.x), begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
	__het_simd_enter();
	for (int i = begin + __het_simd_lane(); i < begin + chunk; i += LANES) {
		unsigned v = in[i], count = 0;
		while (v != 1) {
			v = v & 1 ? 3 * v + 1 : v / 2;
			count++;
		}
		out[i] = count;
	}
	__het_simd_exit();
}

extern "C" __global__ void scalar_product(const float *a, const float *b, float *out, int n)
{
	int chunk = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
	int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk, end = min(begin + chunk, n);
	float s = 0;
	__het_simd_enter();
	for (int i = begin + __het_simd_lane(); i < end; i += LANES)
		s += a[i] * b[i];
	for (int d = LANES / 2; d; d /= 2)
		s += __shfl_xor_sync(~0u, s, d);
	__het_simd_exit();
	atomicAdd(out, s);
}

extern "C" __device__ __noinline__ int reversed(const int *in, int n)
{
	int own[8];
	for (int i = 0; i < n; i++)
		own[n - 1 - i] = in[i];
	int s = 0;
	for (int i = 0; i < n; i++)
		s = s * 31 + own[i];
	return s;
}

// A thread has arrays, which its lanes read, and lanes have arrays.
extern "C" __global__ void arrays(const int *in, int *out)
{
	int mine[LANES], n = threadIdx.x % 8 + 1;
	for (int i = 0; i < LANES; i++)
		mine[i] = in[i] + threadIdx.x;
	int whole = reversed(mine, n);
	__het_simd_enter();
	int lane = __het_simd_lane();
	int part = lane % 2 ? reversed(&mine[lane % 8], 8) : mine[(lane * 7) % LANES];
	out[threadIdx.x * LANES + lane] = whole + part;
	__het_simd_exit();
}

// A thread reads what lies on the stack of another.
extern "C" __global__ void neighbours(int *out)
{
	__shared__ int *addresses[LANES];
	int mine[4];
	for (int i = 0; i < 4; i++)
		mine[i] = threadIdx.x * 10 + i;
	addresses[threadIdx.x] = mine;
	__syncthreads();
	int *theirs = addresses[(threadIdx.x + 1) % blockDim.x];
	out[threadIdx.x] = theirs[threadIdx.x % 4];
	__syncthreads();
}

extern "C" __device__ __noinline__ int triangle(int n)
{
	int *row = (int *)alloca(n * sizeof(int));
	for (int i = 0; i < n; i++)
		row[i] = i + (i ? row[i - 1] : 0);
	return n > 1 ? row[n - 1] + triangle(n - 1) : row[0];
}

// alloca takes sizes that differ, outside and inside.
extern "C" __global__ void pyramids(int *out)
{
	int outside = triangle(threadIdx.x % 5 + 1);
	__het_simd_enter();
	int lane = __het_simd_lane();
	out[threadIdx.x * LANES + lane] = outside * 1000 + triangle(lane % 6 + 1);
	__het_simd_exit();
}
