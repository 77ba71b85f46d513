// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels make histograms, and count in other ways.

extern "C" __global__ void bins_global(const unsigned *in, unsigned *bins, unsigned n, unsigned many)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[in[i] % many], 1u);
}

// Lanes with the same bin count together.
extern "C" __global__ void bins_together(const unsigned char *in, unsigned *bins)
{
	unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x], same = __match_any_sync(~0u, v);
	if (threadIdx.x % 32 == __ffs(same) - 1)
		atomicAdd(&bins[v], __popc(same));
}

// Each warp has a histogram in bytes of shared memory.
extern "C" __global__ void bins_bytes(const unsigned char *in, unsigned *bins, unsigned n)
{
	__shared__ unsigned char mine[64][16];
	for (unsigned b = 0; b < 16; b++)
		mine[threadIdx.x][b] = 0;
	for (unsigned i = threadIdx.x; i < n; i += 64)
		mine[threadIdx.x][in[i] & 15]++;
	__syncthreads();
	if (threadIdx.x < 16) {
		unsigned s = 0;
		for (unsigned t = 0; t < 64; t++)
			s += mine[t][threadIdx.x];
		bins[threadIdx.x] = s;
	}
}

extern "C" __global__ void joint(const unsigned char *a, const unsigned char *b, unsigned *bins, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&bins[(a[i] >> 5) * 8 + (b[i] >> 5)], 1u);
}

// Doubles are added by compare and swap.
extern "C" __global__ void weights_by_class(const double *w, const unsigned char *which, unsigned long long *sums,
					    unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long *to = &sums[which[i] & 3], old = *(volatile unsigned long long *)to, seen;
	do {
		seen = old;
		old = atomicCAS(to, seen,
				(unsigned long long)__double_as_longlong(__longlong_as_double((long long)seen) + w[i]));
	} while (old != seen);
}

// Finds the nearest of some centres.
extern "C" __global__ void nearest(const float2 *points, const float2 *centres, unsigned *which, unsigned *sizes,
				   unsigned n, unsigned k)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
	if (i >= n)
		return;
	float least = 3e38f;
	for (unsigned c = 0; c < k; c++) {
		float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y, d = dx * dx + dy * dy;
		if (d < least) {
			least = d;
			best = c;
		}
	}
	which[i] = best;
	atomicAdd(&sizes[best], 1u);
}

// Counts the occurrences of a word in a text.
extern "C" __global__ void find_word(const unsigned char *text, const unsigned char *word, unsigned *count, unsigned n,
				     unsigned length)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
	while (k < length && i + k < n && text[i + k] == word[k])
		k++;
	unsigned found = __syncthreads_count(k == length);
	if (threadIdx.x == 0)
		atomicAdd(count, found);
}
