// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// embedded.c launches these kernels.

kernel void add(global const float *x, global const float *y, global float *z)
{
	size_t i = get_global_id(0);
	z[i] = x[i] + y[i];
}
