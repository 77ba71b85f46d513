// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels make prefix sums, reductions, and what follows from them.

extern "C" __global__ void scan_warps(const int *in, int *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
	int v = in[i];
	for (unsigned d = 1; d < 32; d *= 2) {
		int before = __shfl_up_sync(~0u, v, d);
		if (lane >= d)
			v += before;
	}
	out[i] = v;
}

// The scan is exclusive, up and down a tree; the sum of each block goes to sums.
extern "C" __global__ void scan_tree(const unsigned *in, unsigned *out, unsigned *sums)
{
	__shared__ unsigned s[128];
	unsigned t = threadIdx.x, base = blockIdx.x * 128;
	s[2 * t] = in[base + 2 * t];
	s[2 * t + 1] = in[base + 2 * t + 1];
	unsigned step = 1;
	for (unsigned d = 64; d; d /= 2, step *= 2) {
		__syncthreads();
		if (t < d)
			s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
	}
	if (t == 0) {
		sums[blockIdx.x] = s[127];
		s[127] = 0;
	}
	for (unsigned d = 1; d < 128; d *= 2) {
		step /= 2;
		__syncthreads();
		if (t < d) {
			unsigned left = s[step * (2 * t + 1) - 1];
			s[step * (2 * t + 1) - 1] = s[step * (2 * t + 2) - 1];
			s[step * (2 * t + 2) - 1] += left;
		}
	}
	__syncthreads();
	out[base + 2 * t] = s[2 * t];
	out[base + 2 * t + 1] = s[2 * t + 1];
}

extern "C" __global__ void add_firsts(unsigned *v, const unsigned *firsts)
{
	v[blockIdx.x * blockDim.x + threadIdx.x] += firsts[blockIdx.x];
}

// Sums begin again where a flag stands.
extern "C" __global__ void scan_segments(const int *in, const unsigned char *flags, int *out)
{
	unsigned i = blockIdx.x * 32 + threadIdx.x, lane = threadIdx.x;
	int v = in[i];
	bool begins = flags[i];
	for (unsigned d = 1; d < 32; d *= 2) {
		int before = __shfl_up_sync(~0u, v, d);
		bool other = __shfl_up_sync(~0u, (int)begins, d);
		if (lane >= d && !begins) {
			v += before;
			begins = other;
		}
	}
	out[i] = v;
}

// Puts the positive numbers together, with a count for each block.
extern "C" __global__ void compact(const int *in, int *out, unsigned *counts, unsigned n)
{
	__shared__ unsigned firsts[4];
	unsigned i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	bool keep = i < n && in[i] > 0;
	unsigned those = __ballot_sync(~0u, keep);
	if (lane == 0)
		firsts[warp] = __popc(those);
	__syncthreads();
	unsigned at = 0, all = 0;
	for (unsigned w = 0; w < 4; w++) {
		at += w < warp ? firsts[w] : 0;
		all += firsts[w];
	}
	if (keep)
		out[blockIdx.x * 128 + at + __popc(those & ((1u << lane) - 1))] = in[i];
	if (threadIdx.x == 0)
		counts[blockIdx.x] = all;
}

extern "C" __global__ void dot(const double *a, const double *b, double *out, unsigned n)
{
	extern __shared__ double part[];
	double s = 0;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s = fma(a[i], b[i], s);
	part[threadIdx.x] = s;
	for (unsigned d = blockDim.x / 2; d; d /= 2) {
		__syncthreads();
		if (threadIdx.x < d)
			part[threadIdx.x] += part[threadIdx.x + d];
	}
	if (threadIdx.x == 0)
		atomicAdd(out, part[0]);
}

// Finds the smallest number and its first place, as one 64-bit atomic.
extern "C" __global__ void find_least(const unsigned *in, unsigned long long *least, unsigned n)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicMin(least, (unsigned long long)in[i] << 32 | i);
}

// Finds where a run of equal numbers begins, and how long it is.
extern "C" __global__ void runs(const unsigned char *in, unsigned *lengths, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n || (i && in[i - 1] == in[i]))
		return;
	unsigned end = i + 1;
	while (end < n && in[end] == in[i])
		end++;
	lengths[i] = end - i;
}
