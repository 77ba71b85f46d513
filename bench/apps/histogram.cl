// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// histogram.cc launches these kernels.

#define BINS 256

kernel void count(global const uchar *bytes, global uint *bins, uint n)
{
	local uint mine[BINS];
	uint l = get_local_id(0);
	mine[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&mine[bytes[i]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&bins[l], mine[l]);
}
