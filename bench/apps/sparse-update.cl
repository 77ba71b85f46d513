// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// sparse-update.cc launches this kernel.

// Adds to some rows of a table.
kernel void update(global float *table, global const uint *rows, uint count, uint width, float value)
{
	size_t i = get_global_id(0);
	if (i < (size_t)count * width)
		table[rows[i / width] * (size_t)width + i % width] += value;
}
