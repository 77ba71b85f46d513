// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// kernels.cl for CUDA. An argument of local memory is an offset in shared memory.
typedef unsigned char uchar;
typedef unsigned long long ulong_type;

struct parameters {
	unsigned factor;
	uchar added;
};

static __device__ ulong_type index()
{
	return (ulong_type)blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void add(uchar *p, uchar value, ulong_type n)
{
	ulong_type i = index();
	if (i < n)
		p[i] += value;
}

extern __shared__ unsigned shared[];

extern "C" __global__ void combine(const uchar *from, uchar *to, ulong_type offset, parameters with)
{
	unsigned *scratch = shared + offset / sizeof(unsigned);
	ulong_type i = index();
	scratch[threadIdx.x] = from[i];
	__syncthreads();
	to[i] = (uchar)(with.factor * to[i] + scratch[threadIdx.x] + with.added);
}
