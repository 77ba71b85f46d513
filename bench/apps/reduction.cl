// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// reduction.cc launches these kernels.

#define SUM 256

void sum_of_group(ulong mine, local ulong *part, global ulong *sums)
{
	uint l = get_local_id(0);
	part[l] = mine;
	for (uint step = SUM / 2; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < step)
			part[l] += part[l + step];
	}
	if (l == 0)
		sums[get_group_id(0)] = part[0];
}

kernel void sum(global const uint *x, global ulong *sums, uint n)
{
	local ulong part[SUM];
	ulong mine = 0;
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		mine += x[i];
	sum_of_group(mine, part, sums);
}

kernel void sum_of_sums(global const ulong *x, global ulong *sums, uint n)
{
	local ulong part[SUM];
	ulong mine = 0;
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		mine += x[i];
	sum_of_group(mine, part, sums);
}
