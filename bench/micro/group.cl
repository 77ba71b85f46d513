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
		pointer mine = (pointer)(words + t / sharers * 32);                                                    \
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
		uint t = get_local_id(0), old = 0;                                                                     \
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
LOCAL(max_local, local uint *, atomic_max(mine, i * sharers + t % sharers);)
LOCAL(exchange_local, local uint *, atomic_xchg(mine, i + 1);)
LOCAL(compare_local, local uint *, uint seen = atomic_cmpxchg(mine, old, old + 1); old = seen == old ? old + 1 : seen;)

// Words of 64 bits, and floats, where the language has a way to write it. Elsewhere there is no such kernel.
#ifdef __NVPTX__
#define ASM __asm__ volatile
GLOBAL(add_long_global, global uint *,
       ulong before; ASM("atom.global.add.u64 %0, [%1], 1;" : "=l"(before) : "l"(mine) : "memory");)
GLOBAL(exchange_long_global, global uint *, ulong before;
       ASM("atom.global.exch.b64 %0, [%1], %2;" : "=l"(before) : "l"(mine), "l"((ulong)i + 1) : "memory");)
GLOBAL(compare_long_global, global uint *, ulong seen;
       ASM("atom.global.cas.b64 %0, [%1], %2, %3;"
	   : "=l"(seen) : "l"(mine), "l"((ulong)old), "l"((ulong)old + 1) : "memory");
       old = seen == old ? old + 1 : (uint)seen;)
GLOBAL(add_float_global, global uint *,
       float before; ASM("atom.global.add.f32 %0, [%1], 0f3F800000;" : "=f"(before) : "l"(mine) : "memory");)
#elif defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
GLOBAL(add_long_global, global ulong *, atom_add(mine, 1ul);)
GLOBAL(exchange_long_global, global ulong *, atom_xchg(mine, i + 1ul);)
GLOBAL(compare_long_global, global ulong *, ulong seen = atom_cmpxchg(mine, (ulong)old, old + 1ul);
       old = seen == old ? old + 1 : (uint)seen;)
#endif

// Threads read local memory, 64 bytes a step, in which neighbours read 16 bytes in a row: no bank is wanted twice.
kernel void read_local(global const uint4 *numbers, global uint *sums, uint steps)
{
	local uint4 mine[512];
	uint t = get_local_id(0), n = get_local_size(0);
	for (uint i = t; i < 512; i += n)
		mine[i] = numbers[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	uint4 sum = 0;
	for (uint i = 0; i < steps; i++) {
		uint at = (t + i) & 127;
		sum += (mine[at] + mine[at + 128]) + (mine[at + 256] + mine[at + 384]);
	}
	sums[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}

// One thread of each group follows a ring of so many places of 16 words, and the others wait for it: so many groups at
// once take as long as one as there is room for.
kernel void stay(global const uint *ring, global uint *out, uint steps, uint group, uint places)
{
	uint t = get_local_id(0);
	if (t == 0) {
		uint at = get_group_id(0) * 97 % places * 16;
		for (uint i = 0; i < steps; i++)
			at = ring[at];
		out[get_global_id(0) / group] = at;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}
