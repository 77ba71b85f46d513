// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What harness/machine.cc's apply() does, on a CUDA device; also a sum. cuda_kernels.h is made from it by
// scripts/ptx-header.sh.
typedef unsigned char byte;
typedef unsigned long long word;

static __device__ word index()
{
	return (word)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ word threads()
{
	return (word)gridDim.x * blockDim.x;
}

static __device__ byte pattern_byte(word position, unsigned seed)
{
	word x = position / 8 * 0x9e3779b97f4a7c15ull + seed * 0xbf58476d1ce4e5b9ull;
	x ^= x >> 32;
	x *= 0x94d049bb133111ebull;
	x ^= x >> 29;
	return (byte)(x >> (position % 8 * 8));
}

extern "C" __global__ void test_add(byte *p, word off, word n, word arg)
{
	for (word i = index(); i < n; i += threads())
		p[off + i] += (byte)arg;
}

extern "C" __global__ void test_mix(byte *p, word off, word n, word arg)
{
	for (word i = index(); i < n; i += threads())
		p[off + i] ^= pattern_byte(off + i, (unsigned)arg);
}

extern "C" __global__ void test_fill(byte *p, word off, word n, word arg)
{
	for (word i = index(); i < n; i += threads())
		p[off + i] = pattern_byte(off + i, (unsigned)arg);
}

extern "C" __global__ void test_stamp(byte *p, word off, word n, word arg)
{
	for (word i = index() * 4096; i + 8 <= n; i += threads() * 4096)
		for (int b = 0; b < 8; b++)
			p[off + i + b] = (byte)(arg >> (8 * b));
}

// Spins on a count that only the last argument knows, so that the interpreter can be given less to do.
extern "C" __global__ void test_slow_add(byte *p, word off, word n, word arg, unsigned turns)
{
	unsigned x = (unsigned)index();
	for (unsigned i = 0; i < turns; i++)
		x = x * 1664525u + 1013904223u;
	for (word i = index(); i < n; i += threads())
		p[off + i] += (byte)(arg + (x == 12345u && i > n));
}

extern "C" __global__ void test_sum(const byte *p, word off, word n, word *partial)
{
	word total = 0;
	for (word i = index(); i < n; i += threads())
		total += p[off + i];
	partial[index()] = total;
}
