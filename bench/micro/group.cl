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

// Threads change words of which @sharers threads each have one, 128 bytes from the next.
#define GLOBAL(name, pointer, DEED)                                                                                    \
	kernel void name(global uint *words, uint sharers, uint steps)                                                 \
	{                                                                                                              \
		uint t = get_global_id(0), old = 0;                                                                    \
		pointer mine = words + t / sharers * 32;                                                               \
		for (uint i = 0; i < steps; i++) {                                                                     \
			DEED                                                                                           \
		}                                                                                                      \
	}

GLOBAL(plain_global, volatile global uint *, *mine = *mine + 1;)
GLOBAL(add_global, global uint *, atomic_add(mine, 1);)
GLOBAL(max_global, global uint *, atomic_max(mine, i * sharers + t % sharers);)
GLOBAL(exchange_global, global uint *, atomic_xchg(mine, i + 1);)
GLOBAL(compare_global, global uint *, uint seen = atomic_cmpxchg(mine, old, old + 1); old = seen == old ? old + 1 : seen;)

// The same in local memory: the threads of a group, of which there are 64 at most, share words that are a bank apart.
#define LOCAL(name, pointer, DEED)                                                                                     \
	kernel void name(global uint *words, uint sharers, uint steps)                                                 \
	{                                                                                                              \
		local uint all[64];                                                                                    \
		uint t = get_local_id(0);                                                                              \
		all[t] = 0;                                                                                            \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                          \
		pointer mine = all + t / sharers;                                                                      \
		for (uint i = 0; i < steps; i++) {                                                                     \
			DEED                                                                                           \
		}                                                                                                      \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                          \
		if (t % sharers == 0)                                                                                  \
			words[get_global_id(0) / sharers * 32] = *mine;                                                \
	}

LOCAL(plain_local, volatile local uint *, *mine = *mine + 1;)
LOCAL(add_local, local uint *, atomic_add(mine, 1);)
