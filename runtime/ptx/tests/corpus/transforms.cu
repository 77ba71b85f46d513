// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels compute Fourier's transform and its relatives.

// Does one stage of a radix-2 transform, decimation in time; the input is in the order of reversed bits.
extern "C" __global__ void fft_stage(float2 *v, const float2 *roots, unsigned half, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n / 2)
		return;
	unsigned k = i % half, a = i / half * 2 * half + k, b = a + half;
	float2 w = roots[k * (n / 2 / half)], x = v[a], y = v[b];
	float2 z = {w.x * y.x - w.y * y.y, w.x * y.y + w.y * y.x};
	v[a] = float2{x.x + z.x, x.y + z.y};
	v[b] = float2{x.x - z.x, x.y - z.y};
}

// A block transforms all of 64 points.
extern "C" __global__ void fft_block(const double2 *in, double2 *out, const double2 *roots)
{
	__shared__ double re[64], im[64];
	unsigned t = threadIdx.x;
	for (unsigned i = t; i < 64; i += 32) {
		unsigned from = __brev(i) >> 26;
		re[i] = in[blockIdx.x * 64 + from].x;
		im[i] = in[blockIdx.x * 64 + from].y;
	}
	for (unsigned half = 1; half < 64; half *= 2) {
		__syncthreads();
		unsigned k = t % half, a = t / half * 2 * half + k, b = a + half;
		double2 w = roots[k * (32 / half)];
		double x = w.x * re[b] - w.y * im[b], y = w.x * im[b] + w.y * re[b];
		re[b] = re[a] - x;
		im[b] = im[a] - y;
		re[a] += x;
		im[a] += y;
	}
	__syncthreads();
	for (unsigned i = t; i < 64; i += 32)
		out[blockIdx.x * 64 + i] = double2{re[i], im[i]};
}

extern "C" __global__ void reverse_bits(const float2 *in, float2 *out, unsigned bits)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[__brev(i) >> (32 - bits)] = in[i];
}

// The transform stays within a warp, by shuffles.
extern "C" __global__ void walsh(const int *in, int *out)
{
	unsigned i = blockIdx.x * 32 + threadIdx.x;
	int v = in[i];
	for (unsigned d = 1; d < 32; d *= 2) {
		int other = __shfl_xor_sync(~0u, v, d);
		v = threadIdx.x & d ? other - v : v + other;
	}
	out[i] = v;
}

// Transforms rows, then columns, of blocks of 8 by 8.
extern "C" __global__ void dct(const float *in, float *out, const float *cosines)
{
	__shared__ float s[8][9];
	unsigned x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * 64;
	float sum = 0;
	for (unsigned k = 0; k < 8; k++)
		sum += in[base + y * 8 + k] * cosines[x * 8 + k];
	s[y][x] = sum;
	__syncthreads();
	sum = 0;
	for (unsigned k = 0; k < 8; k++)
		sum += s[k][x] * cosines[y * 8 + k];
	out[base + y * 8 + x] = sum;
}

extern "C" __global__ void convolve(const int *in, const int *filter, int *out, int n, int taps)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
	if (i >= n)
		return;
	for (int k = 0; k < taps && k <= i; k++)
		s += in[i - k] * filter[k];
	out[i] = s;
}

// Does lifting steps of an integer wavelet.
extern "C" __global__ void wavelet(const short *in, short *low, short *high, int half)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= half)
		return;
	int even = in[2 * i], odd = in[2 * i + 1], d = odd - even;
	high[i] = (short)d;
	low[i] = (short)(even + (d >> 1));
}
