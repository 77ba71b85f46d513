// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of harness/runtime.cc and runtime_launch.cc for CUDA devices. runtime_kernels.h is made from it by
// scripts/ptx-header.sh.
typedef unsigned char byte;
typedef unsigned long long word;

static __device__ word index()
{
	return (word)blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void add(byte *p, byte value, word n)
{
	word i = index();
	if (i < n)
		p[i] += value;
}

extern "C" __global__ void combine(const byte *from, byte *to, word n)
{
	word i = index();
	if (i < n)
		to[i] = 3 * to[i] + from[i];
}

extern "C" __global__ void copy(const byte *from, byte *to, word n)
{
	word i = index();
	if (i < n)
		to[i] = from[i];
}

extern "C" __global__ void scatter(const byte *from, byte *to, word n)
{
	word i = index();
	if (i < n)
		to[i * 7919 % n] = from[i];
}

// Milliseconds on a GPU, and no more for the interpreter.
extern "C" __global__ void slow(byte *p, byte value, word n)
{
	word i = index();
	unsigned x = value;
	for (unsigned k = 0; i == 0 && k < 100000; k++)
		x = x * 1664525u + 1013904223u;
	if (i < n)
		p[i] += x == 0x12345678u ? 0 : value;
}

extern __shared__ word shared[];

// The second argument is the offset of its bytes in shared memory.
extern "C" __global__ void ids(word *out, word offset, word factor)
{
	word *scratch = shared + offset / sizeof(word);
	word x = index(), y = (word)blockIdx.y * blockDim.y + threadIdx.y;
	unsigned l = threadIdx.y * blockDim.x + threadIdx.x;
	scratch[l] = x * factor + y;
	__syncthreads();
	out[y * gridDim.x * blockDim.x + x] = scratch[l] + 1000000 * blockIdx.x;
}
