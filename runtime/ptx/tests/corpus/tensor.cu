// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels of corpus B multiply matrices by the instructions for that.

__device__ static inline unsigned shared_address(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

// A warp makes 16 x 8 elements of c = a * b; all have n x n halves, and n is a multiple of 16.
extern "C" __global__ void tensor_product(const unsigned short *a, const unsigned short *b, float *c, unsigned n)
{
	__shared__ __align__(16) unsigned short rows[16 * 8], columns[8 * 8];
	unsigned lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
	float sums[4] = {0, 0, 0, 0};

	for (unsigned k = 0; k < n; k += 8) {
		for (unsigned i = lane; i < 16 * 8; i += 32)
			rows[i] = a[(row + i / 8) * n + k + i % 8];
		for (unsigned i = lane; i < 8 * 8; i += 32)
			columns[i] = b[(k + i / 8) * n + column + i % 8];
		__syncthreads();
		unsigned x[2], y;
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
			     : "=r"(x[0]), "=r"(x[1])
			     : "r"(shared_address(&rows[lane % 16 * 8])));
		asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
			     : "=r"(y)
			     : "r"(shared_address(&columns[lane % 8 * 8])));
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
			     "{%0, %1, %2, %3};"
			     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
			     : "r"(x[0]), "r"(x[1]), "r"(y));
		__syncthreads();
	}
	for (unsigned i = 0; i < 4; i++)
		c[(row + lane / 4 + i / 2 * 8) * n + column + lane % 4 * 2 + i % 2] = sums[i];
}
