// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// checkpoints.py stops these kernels in the middle. Each has what a block may have to save: registers, shared memory,
// local memory, atomics that must not happen twice, lanes that wait for each other, threads that end at different
// times. A block writes to *mark after a few rounds, so that a test without a GPU can stop there: the first and the
// last word of the line that blocks look at.

constexpr unsigned threads = 256, marked = 3;

__device__ unsigned mixed(unsigned v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	return v * 0x846ca68bu;
}

__device__ void tell(unsigned round, unsigned *mark)
{
	if (mark && round == marked && threadIdx.x == 0)
		mark[31] = mark[0] = 1;
}

extern "C" __global__ void registers(unsigned *out, unsigned rounds, unsigned *mark)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = i, b = ~i;
	double d = i;
	for (unsigned r = 0; r < rounds; r++) {
		a = mixed(a + b);
		b ^= a << 3;
		d = d * 0.5 + a;
		tell(r, mark);
	}
	out[i] = a ^ b ^ unsigned(d);
}

extern "C" __global__ void shared_words(unsigned *out, unsigned rounds, unsigned *mark)
{
	__shared__ unsigned row[threads];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x, v = mixed(i);
	for (unsigned r = 0; r < rounds; r++) {
		row[at] = v;
		__syncthreads();
		v = mixed(v + row[(at + r) % threads]);
		tell(r, mark);
		__syncthreads();
	}
	out[i] = v;
}

extern "C" __global__ void local_words(unsigned *out, unsigned rounds, unsigned *mark)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, own[16];
	for (unsigned k = 0; k < 16; k++)
		own[k] = mixed(i + k);
	for (unsigned r = 0; r < rounds; r++) {
		unsigned from = own[r % 16] % 16;
		own[(from + r) % 16] += mixed(own[from]);
		tell(r, mark);
	}
	unsigned sum = 0;
	for (unsigned k = 0; k < 16; k++)
		sum = sum * 31 + own[k];
	out[i] = sum;
}

extern "C" __global__ void atomics(unsigned *out, unsigned rounds, unsigned *mark)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x, v = i;
	for (unsigned r = 0; r < rounds; r++) {
		v = mixed(v + r);
		atomicAdd(&out[v % count], 1);
		tell(r, mark);
	}
}

extern "C" __global__ void lanes(unsigned *out, unsigned rounds, unsigned *mark)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = mixed(i);
	for (unsigned r = 0; r < rounds; r++) {
		v = mixed(v + __shfl_xor_sync(~0u, v, 1 << r % 5));
		tell(r, mark);
	}
	out[i] = v;
}

extern "C" __global__ void apart(unsigned *out, unsigned rounds, unsigned *mark)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
	for (unsigned r = 0, own = mixed(i) % rounds; r < own; r++) {
		v = mixed(v + r);
		tell(r, mark);
	}
	out[i] = v;
}
