// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Control flow has divergence, calls, recursion, indirect calls, switches, local arrays and printing here.

extern "C" int printf(const char *, ...);

__constant__ int weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};
__device__ unsigned total = 5;
__device__ const char *const words[2] = {"even", "odd"};

typedef unsigned (*step_fn)(unsigned);

extern "C" __device__ __noinline__ unsigned triple_and_one(unsigned v)
{
	return 3 * v + 1;
}

extern "C" __device__ __noinline__ unsigned half(unsigned v)
{
	return v / 2;
}

__device__ step_fn steps[2] = {half, triple_and_one};

// Counts the steps to 1, through a table of functions.
extern "C" __global__ void collatz(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned v = in[i], count = 0;
	while (v != 1 && count < 1000) {
		v = steps[v & 1](v);
		count++;
	}
	out[i] = count;
}

extern "C" __device__ __noinline__ unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursive(unsigned *out)
{
	out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}

extern "C" __global__ void switches(const int *in, int *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int v = in[i], r;
	switch (v) {
	case 0: r = out[i] * 3; break;
	case 1: r = v - 77; out[i + n] = 1; break;
	case 2: r = out[i] ^ 0x55; break;
	case 3: r = -v; out[i + n] = 3; break;
	case 4: r = v << 4; break;
	case 5: r = out[i] % 7; out[i + n] = 5; break;
	case 6: r = weights[i & 7]; break;
	default: r = -1;
	}
	out[i] = r;
}

// Each thread does an insertion sort in a local array.
extern "C" __global__ void local_sort(const int *in, int *out, int size)
{
	int a[16];
	unsigned base = (blockIdx.x * blockDim.x + threadIdx.x) * size;
	for (int i = 0; i < size; i++) {
		int v = in[base + i], j = i;
		for (; j > 0 && a[j - 1] > v; j--)
			a[j] = a[j - 1];
		a[j] = v;
	}
	for (int i = 0; i < size; i++)
		out[base + i] = a[i];
}

struct pair {
	double value;
	int index;
	float spare[3];
};

extern "C" __device__ __noinline__ pair larger(pair a, pair b)
{
	return a.value < b.value ? b : a;
}

extern "C" __global__ void arg_max(const double *in, int *out, int n)
{
	pair best = {in[threadIdx.x], int(threadIdx.x), {1, 2, 3}};
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		best = larger(best, pair{in[i], i, {0, 0, 0}});
	out[threadIdx.x] = best.index;
}

extern "C" __global__ void say(int n)
{
	if (threadIdx.x < n)
		printf("thread %d of %u: %s %5.2f %llx%%\n", threadIdx.x, blockDim.x, words[threadIdx.x & 1],
		       threadIdx.x * 0.5, 0x123456789abcull);
	atomicAdd(&total, 2u);
}

// Each block of threads has a lock, which needs independent progress of lanes.
extern "C" __global__ void locked(unsigned *lock, unsigned *count)
{
	bool done = false;
	while (!done) {
		if (atomicCAS(lock, 0u, 1u) == 0) {
			*(volatile unsigned *)count += 1;
			__threadfence();
			atomicExch(lock, 0u);
			done = true;
		}
	}
}
