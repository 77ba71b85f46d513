// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// group.cc launches these kernels, with one group.

// Thread t stays at word t * stride of local memory, whose words hold their own numbers, as the compiler can't know.
kernel void banks(global const uint *numbers, global uint *out, uint stride, uint steps)
{
	local uint mine[2048];
	uint t = get_local_id(0), n = get_local_size(0);
	for (uint i = t; i < 2048; i += n)
		mine[i] = numbers[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	uint at = (t * stride) & 2047;
	for (uint i = 0; i < steps; i++)
		at = mine[at];
	out[t] = at;
}

// Blocks of @width threads take one way or the other. Threads that execute together must go both ways. Both are chains
// of three instructions that a compiler can't make one of, whatever it knows of the steps before.
kernel void ways(global uint *out, uint width, uint steps)
{
	uint t = get_local_id(0), x = t;
	if (t / width & 1) {
		for (uint i = 0; i < steps; i++)
			x = ((x << 5 | x >> 27) ^ 0x85ebca6b) + 0x7ed55d16;
	} else {
		for (uint i = 0; i < steps; i++)
			x = (x ^ x >> 7) + 0x9e3779b9;
	}
	out[t] = x;
}

// Threads add to words of which @sharers threads each have one, 128 bytes from the next.
kernel void add_global(global uint *words, uint sharers, uint steps)
{
	uint t = get_global_id(0);
	global uint *mine = words + t / sharers * 32;
	for (uint i = 0; i < steps; i++)
		atomic_add(mine, 1);
}
