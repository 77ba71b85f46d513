// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// spmv.cc launches these kernels.

kernel void multiply_rows(global const uint *starts, global const uint *columns, global const float *values,
			  global const float *x, global float *y, uint rows)
{
	uint r = get_global_id(0);
	if (r >= rows)
		return;
	float sum = 0;
	for (uint i = starts[r]; i < starts[r + 1]; i++)
		sum += values[i] * x[columns[i]];
	y[r] = sum;
}
