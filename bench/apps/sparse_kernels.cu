// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernel of sparse-update.cc; sparse_kernels.h is made from it by scripts/ptx-header.sh.

// Adds to some rows of a table.
extern "C" __global__ void update(float *table, const unsigned *rows, unsigned count, unsigned width, float value)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < (size_t)count * width)
		table[rows[i / width] * (size_t)width + i % width] += value;
}
