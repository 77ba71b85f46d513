// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels sort, or do parts of it.

// Does one step of the bitonic network.
extern "C" __global__ void bitonic_step(int *v, unsigned size, unsigned stride)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ stride;
	if (other <= i)
		return;
	bool up = (i & size) == 0;
	int a = v[i], b = v[other];
	if ((a > b) == up) {
		v[i] = b;
		v[other] = a;
	}
}

// Each block sorts 256 numbers.
extern "C" __global__ void bitonic_block(int *v)
{
	__shared__ int s[256];
	unsigned t = threadIdx.x;
	s[t] = v[blockIdx.x * 256 + t];
	s[t + 128] = v[blockIdx.x * 256 + t + 128];
	for (unsigned size = 2; size <= 256; size *= 2) {
		for (unsigned stride = size / 2; stride; stride /= 2) {
			__syncthreads();
			unsigned i = 2 * t - (t & (stride - 1)), j = i + stride;
			int a = s[i], b = s[j];
			if ((a > b) == ((i & size) == 0)) {
				s[i] = b;
				s[j] = a;
			}
		}
	}
	__syncthreads();
	v[blockIdx.x * 256 + t] = s[t];
	v[blockIdx.x * 256 + t + 128] = s[t + 128];
}

extern "C" __global__ void odd_even(short *v, unsigned n)
{
	for (unsigned round = 0; round < n; round++) {
		unsigned i = 2 * threadIdx.x + (round & 1);
		if (i + 1 < n && v[i] > v[i + 1]) {
			short a = v[i];
			v[i] = v[i + 1];
			v[i + 1] = a;
		}
		__syncthreads();
	}
}

extern "C" __global__ void rank_sort(const float *in, float *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, rank = 0;
	if (i >= n)
		return;
	float v = in[i];
	for (unsigned k = 0; k < n; k++)
		rank += in[k] < v || (in[k] == v && k < i);
	out[rank] = v;
}

// Counts how often each digit occurs in the part of a block.
extern "C" __global__ void radix_count(const unsigned *in, unsigned *counts, unsigned n, unsigned shift)
{
	__shared__ unsigned mine[16];
	if (threadIdx.x < 16)
		mine[threadIdx.x] = 0;
	__syncthreads();
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&mine[in[i] >> shift & 15], 1u);
	__syncthreads();
	if (threadIdx.x < 16)
		counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// The sort is stable, with one warp in a block: places within a digit come from a ballot for each bit of it.
extern "C" __global__ void radix_scatter(const unsigned *in, const unsigned *firsts, unsigned *out, unsigned shift)
{
	unsigned v = in[blockIdx.x * 32 + threadIdx.x], digit = v >> shift & 15, same = ~0u;
	for (unsigned b = 0; b < 4; b++) {
		unsigned ones = __ballot_sync(~0u, digit >> b & 1);
		same &= digit >> b & 1 ? ones : ~ones;
	}
	unsigned before = __popc(same & ((1u << threadIdx.x) - 1));
	out[firsts[digit * gridDim.x + blockIdx.x] + before] = v;
}

// Each thread finds the place of one number by binary search in the other list.
extern "C" __global__ void merge_lists(const int *a, const int *b, int *out, unsigned n, unsigned m)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n + m)
		return;
	bool first = i < n;
	int v = first ? a[i] : b[i - n];
	const int *other = first ? b : a;
	unsigned low = 0, high = first ? m : n;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (first ? other[middle] < v : other[middle] <= v)
			low = middle + 1;
		else
			high = middle;
	}
	out[(first ? i : i - n) + low] = v;
}

// Each thread sorts a list of its own in local memory.
extern "C" __global__ void shell_sort(unsigned short *v, int size)
{
	unsigned short a[24];
	unsigned base = (blockIdx.x * blockDim.x + threadIdx.x) * size;
	for (int i = 0; i < size; i++)
		a[i] = v[base + i];
	for (int gap = size / 2; gap; gap /= 2) {
		for (int i = gap; i < size; i++) {
			unsigned short x = a[i];
			int j = i;
			for (; j >= gap && a[j - gap] > x; j -= gap)
				a[j] = a[j - gap];
			a[j] = x;
		}
	}
	for (int i = 0; i < size; i++)
		v[base + i] = a[i];
}
