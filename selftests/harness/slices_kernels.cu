// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of runtime_slices.cc for CUDA devices. slices_kernels.h is made from it by scripts/ptx-header.sh.
typedef unsigned char byte;
typedef unsigned long long word;

static __device__ word index()
{
	return (word)blockIdx.x * blockDim.x + threadIdx.x;
}

// Rows of the width of the grid: each byte gets those above and below it.
extern "C" __global__ void blur(const byte *from, byte *to)
{
	word x = index(), y = (word)blockIdx.y * blockDim.y + threadIdx.y;
	word width = (word)gridDim.x * blockDim.x, height = (word)gridDim.y * blockDim.y;
	word above = y ? y - 1 : y, below = y + 1 < height ? y + 1 : y;
	to[y * width + x] = 5 * from[y * width + x] + (3 * from[above * width + x] ^ from[below * width + x]);
}

// Every third byte is left alone.
extern "C" __global__ void spread(const byte *from, byte *to)
{
	word i = index();
	to[3 * i + 1] = to[3 * i] + from[i];
}

extern "C" __global__ void look_up(const byte *from, const byte *table, byte *to)
{
	word i = index();
	to[i] = table[from[i]] + table[256 + i % 256];
}

extern "C" __global__ void histogram(const byte *from, unsigned *bins)
{
	atomicAdd(&bins[from[index()]], 1u);
}

// The same bytes by two arguments: what is written by one is read by the other.
extern "C" __global__ void twice(byte *p, byte *same)
{
	word i = index();
	p[i] += 7;
	same[i] = 3 * same[i];
}
