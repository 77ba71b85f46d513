// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// vectoradd.cc launches these kernels.

kernel void add(global const float *x, global const float *y, global float *z, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		z[i] = x[i] + y[i];
}

kernel void nothing(void)
{
}
