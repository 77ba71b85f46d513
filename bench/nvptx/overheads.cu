// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// overheads.py measures the passes on these kernels.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

extern "C" __global__ void gather(const float *in, const unsigned *where, float *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[where[i]];
}

extern "C" __global__ void stream(const float *a, const float *b, float *c, unsigned n)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		c[i] = a[i] * 3 + b[i];
}

extern "C" __global__ void work(const float *a, const float *, float *c, unsigned rounds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = a[i];
	for (unsigned r = 0; r < rounds; r++)
		x = x * 0.99f + 0.5f;
	c[i] = x;
}
