// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of ranks.cc for CUDA devices. kernels.h is made from it by scripts/ptx-header.sh.
typedef unsigned int number;

static __device__ number index()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void fill(number *x, number seed)
{
	number i = index();
	x[i] = seed * 2654435761u + i * 40503u;
}

extern "C" __global__ void wrong(const number *x, number *count, number seed, number first)
{
	number i = index();
	if (x[i] != seed * 2654435761u + (i + first) * 40503u)
		atomicAdd(count, 1u);
}

extern "C" __global__ void sum(const number *x, number *sum)
{
	atomicAdd(sum, x[index()]);
}
