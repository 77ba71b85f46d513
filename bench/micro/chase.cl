// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// chase.cc launches these kernels. Each load needs the one before it, so its time is the latency of memory.

// The first @warm steps bring the ring into those caches that a launch begins with empty.
kernel void chase_global(global const uint *ring, global uint *out, uint start, uint warm, uint steps)
{
	uint at = start;
	for (uint i = 0; i < warm; i++)
		at = ring[at];
	for (uint i = 0; i < steps; i++)
		at = ring[at];
	out[0] = at;
}

// The same in local memory, which holds @words of the ring.
kernel void chase_local(global const uint *ring, global uint *out, uint start, uint words, uint steps)
{
	local uint mine[2048];
	for (uint i = get_local_id(0); i < words; i += get_local_size(0))
		mine[i] = ring[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	uint at = start;
	for (uint i = 0; i < steps; i++)
		at = mine[at];
	out[0] = at;
}

// Makes a ring from word @base on.
kernel void chase_link(global uint *ring, global const uint *order, uint n, uint base, uint threads)
{
	for (uint i = get_global_id(0); i < n; i += threads)
		ring[base + order[i]] = base + order[i + 1 < n ? i + 1 : 0];
}

// Many threads bring @words of the ring from word @first on into the caches that they share.
kernel void chase_fill(global const uint *ring, global uint *out, uint first, uint words, uint threads)
{
	uint sum = 0;
	for (uint i = get_global_id(0) * 8; i < words; i += threads * 8)
		sum += ring[first + i] | 1;
	if (sum == 0x80000000)
		out[0] = sum;
}
