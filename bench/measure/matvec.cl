// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// matvec_problem.h launches these kernels.

// One work-item takes a row: this is what the paper ran, and what one writes first.
kernel void matvec(global const float *A, global const float *x, global const float *b, global float *y, int n)
{
	int i = get_global_id(0);
	if (i >= n)
		return;
	float sum = 0;
	for (int j = 0; j < n; ++j)
		sum += A[(size_t)i * n + j] * x[j];
	y[i] = sum + b[i];
}

// For speed a core takes whole rows in vector registers, and a GPU's work-group takes one row together, so that its
// reads coalesce.
#ifdef CPU_DEVICE
kernel void matvec_tuned(global const float *A, global const float *x, global const float *b, global float *y, int n)
{
	size_t i = get_global_id(0);
	if (i >= n)
		return;
	global const float *row = A + i * n;
	float16 sum = 0;
	int j = 0;
	for (; j + 16 <= n; j += 16)
		sum += vload16(0, row + j) * vload16(0, x + j);
	float8 s8 = sum.lo + sum.hi;
	float4 s4 = s8.lo + s8.hi;
	float total = s4.x + s4.y + s4.z + s4.w;
	for (; j < n; ++j)
		total += row[j] * x[j];
	y[i] = total + b[i];
}
#else
kernel void matvec_tuned(global const float *A, global const float *x, global const float *b, global float *y, int n)
{
	local float sums[64];
	size_t i = get_group_id(0), l = get_local_id(0);
	float sum = 0;
	for (int j = l; j < n; j += 64)
		sum += A[i * n + j] * x[j];
	sums[l] = sum;
	for (int apart = 32; apart > 0; apart /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < apart)
			sums[l] += sums[l + apart];
	}
	if (l == 0)
		y[i] = sums[0] + b[i];
}
#endif
