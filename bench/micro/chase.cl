// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// chase.cc launches these kernels. Each load needs the one before it, so its time is the latency of memory.

// A place of this ring holds the next one's address, so that nothing but the load is between two loads. Buffers stay
// where they are between launches.
#define NEXT(at) ((global const uint *)(uintptr_t) * (global const ulong *)(at))

// The first @warm steps bring the ring into those caches that a launch begins with empty.
kernel void chase_global(global const uint *ring, global uint *out, uint start, uint warm, uint steps)
{
	global const uint *at = ring + start;
	for (uint i = 0; i < warm; i++)
		at = NEXT(at);
	for (uint i = 0; i < steps; i++)
		at = NEXT(at);
	out[0] = at - ring;
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

// Makes a ring of addresses from word @base on. Its places have even numbers.
kernel void chase_link_global(global uint *ring, global const uint *order, uint n, uint base, uint threads)
{
	for (uint i = get_global_id(0); i < n; i += threads)
		*(global ulong *)(ring + base + order[i]) =
			(ulong)(uintptr_t)(ring + base + order[i + 1 < n ? i + 1 : 0]);
}

// Makes one of numbers of words.
kernel void chase_link(global uint *ring, global const uint *order, uint n, uint base, uint threads)
{
	for (uint i = get_global_id(0); i < n; i += threads)
		ring[base + order[i]] = base + order[i + 1 < n ? i + 1 : 0];
}

// The threads of group @mine walk along parts of the ring, and so fill the caches as one thread would that takes
// longer. Other groups have nothing to do: they are there so that units differ that @mine runs on.
kernel void chase_fill_global(global const uint *ring, global const uint *order, global uint *out, uint n, uint base,
			      uint threads, uint mine)
{
	if (get_group_id(0) != mine)
		return;
	uint t = get_local_id(0), part = (n + threads - 1) / threads, first = t * part;
	global const uint *at = ring + (first < n ? base + order[first] : 0);
	for (uint i = first; i < first + part && i < n; i++)
		at = NEXT(at);
	if (at - ring == 0xffffffff)
		out[0] = 1;
}

// The same of a ring of numbers.
kernel void chase_fill(global const uint *ring, global const uint *order, global uint *out, uint n, uint base,
		       uint threads, uint mine)
{
	if (get_group_id(0) != mine)
		return;
	uint t = get_local_id(0), part = (n + threads - 1) / threads;
	uint first = t * part, at = first < n ? base + order[first] : 0;
	for (uint i = first; i < first + part && i < n; i++)
		at = ring[at];
	if (at == 0xffffffff)
		out[0] = at;
}
