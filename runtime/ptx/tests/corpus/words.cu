// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels use bits, constants, warps, and shared memory of any size.

__constant__ float coefficients[6] = {1, -0.5f, 0.25f, 3, -2, 0.125f};
__device__ unsigned crc_table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
				     0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
				     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

extern "C" __global__ void polynomial(const float *in, float *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0;
	for (int k = 5; k >= 0; k--)
		s = fmaf(s, in[i], coefficients[k]);
	out[i] = s;
}

extern "C" __global__ void crc(const unsigned char *in, unsigned *out, unsigned length)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, c = ~0u;
	for (unsigned k = 0; k < length; k++) {
		c ^= in[i * length + k];
		c = crc_table[c & 15] ^ c >> 4;
		c = crc_table[c & 15] ^ c >> 4;
	}
	out[i] = ~c;
}

// Computes a block of a cipher that turns and adds.
extern "C" __global__ void quarter_rounds(uint4 *v, unsigned rounds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint4 s = v[i];
	for (unsigned r = 0; r < rounds; r++) {
		s.x += s.y;
		s.w = __funnelshift_l(s.w ^ s.x, s.w ^ s.x, 16);
		s.z += s.w;
		s.y = __funnelshift_l(s.y ^ s.z, s.y ^ s.z, 12);
		s.x += s.y;
		s.w = __funnelshift_l(s.w ^ s.x, s.w ^ s.x, 8);
		s.z += s.w;
		s.y = __funnelshift_l(s.y ^ s.z, s.y ^ s.z, 7);
	}
	v[i] = s;
}

// Ballots turn a matrix of 32 by 32 bits.
extern "C" __global__ void turn_bits(const unsigned *in, unsigned *out)
{
	unsigned v = in[blockIdx.x * 32 + threadIdx.x], mine = 0;
	for (unsigned b = 0; b < 32; b++) {
		unsigned row = __ballot_sync(~0u, v >> b & 1);
		if (threadIdx.x == b)
			mine = row;
	}
	out[blockIdx.x * 32 + threadIdx.x] = mine;
}

// Does steps of a sieve, with a bit for each number.
extern "C" __global__ void sieve(unsigned *bits, unsigned n)
{
	unsigned p = blockIdx.x * blockDim.x + threadIdx.x + 2;
	for (unsigned m = p * p; p < 1000 && m < n; m += p)
		atomicOr(&bits[m / 32], 1u << m % 32);
}

// Turns the numbers of a block around, through dynamic shared memory and a named barrier.
extern "C" __global__ void reverse_block(const unsigned short *in, unsigned short *out)
{
	extern __shared__ unsigned short line[];
	unsigned t = threadIdx.x, n = blockDim.x;
	line[t] = in[blockIdx.x * n + t];
	asm volatile("bar.sync 3, %0;" ::"r"(n) : "memory");
	out[blockIdx.x * n + t] = line[n - 1 - t];
}

// Warps with different work: only one of them meets the barrier late.
extern "C" __global__ void roles(const int *in, int *out)
{
	__shared__ int box[64];
	unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
	if (warp == 0) {
		int v = in[blockIdx.x * 32 + lane];
		for (int k = 0; k < 5; k++)
			v = v * 3 + 1;
		box[lane] = v;
	} else if (warp == 1) {
		box[32 + lane] = in[blockIdx.x * 32 + lane] ^ 0x55;
	}
	__syncthreads();
	if (warp == 2)
		out[blockIdx.x * 32 + lane] = box[lane] - box[63 - lane];
}

// The last block to arrive adds up what all have left.
__device__ unsigned arrived;
extern "C" __global__ void last_block(const unsigned *in, unsigned *parts, unsigned *total)
{
	__shared__ bool last;
	unsigned s = in[blockIdx.x * 32 + threadIdx.x];
	for (unsigned d = 16; d; d /= 2)
		s += __shfl_xor_sync(~0u, s, d);
	if (threadIdx.x == 0) {
		parts[blockIdx.x] = s;
		__threadfence();
		last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0)
		for (unsigned b = 0; b < gridDim.x; b++)
			*total += ((volatile unsigned *)parts)[b];
}
