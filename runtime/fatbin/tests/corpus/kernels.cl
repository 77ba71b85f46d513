// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
typedef struct {
	uint factor;
	uchar added;
} parameters;

kernel void add(global uchar *p, uchar value, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		p[i] += value;
}

kernel void combine(global const uchar *from, global uchar *to, local uint *scratch, parameters with)
{
	size_t i = get_global_id(0), l = get_local_id(0);
	scratch[l] = from[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	to[i] = (uchar)(with.factor * to[i] + scratch[l] + with.added);
}
