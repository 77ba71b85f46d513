// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// cl_programs.h launches this kernel.

// Mixes each item's number so many times, as programs do that look for what has a given hash.
kernel void mix_numbers(global ulong *hashes, uint n, uint rounds)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	ulong h = i + 1;
	for (uint r = 0; r < rounds; r++) {
		h ^= h >> 33;
		h *= 0xFF51AFD7ED558CCDUL;
		h ^= h >> 29;
		h *= 0xC4CEB9FE1A85EC53UL;
	}
	hashes[i] = h;
}
