// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// patterns.cc launches these kernels: threads that access memory in the ways of the paper's later figures.

// Numbers of so many bits are brought into another order, in which neighbours are far apart and none is twice.
uint spread(uint i, uint mask, uint shift)
{
	i = (i * 0x9e3779b1) & mask;
	i ^= i >> shift;
	i = (i * 0x85ebca6b) & mask;
	return i ^ (i >> shift);
}

// Reads go to places that are spread, and writes to places in a row.
kernel void gather(global const uint *from, global uint *to, uint mask, uint shift, uint threads, uint first,
		   uint rounds, uint salt)
{
	uint t = get_global_id(0);
	for (uint k = 0; k < rounds; k++) {
		uint i = (t + (first + k) * threads) & mask;
		to[i] = from[spread(i, mask, shift)] ^ salt;
	}
}

// The other way round.
kernel void scatter(global const uint *from, global uint *to, uint mask, uint shift, uint threads, uint first,
		    uint rounds, uint salt)
{
	uint t = get_global_id(0);
	for (uint k = 0; k < rounds; k++) {
		uint i = (t + (first + k) * threads) & mask;
		to[spread(i, mask, shift)] = from[i] ^ salt;
	}
}

// Neighbouring threads read words that are @step apart.
kernel void strided(global const uint *from, global uint *sums, uint mask, uint step, uint threads, uint first,
		    uint rounds)
{
	uint t = get_global_id(0), sum = 0;
	for (uint k = 0; k < rounds; k++)
		sum += from[((t + (first + k) * threads) * step) & mask];
	sums[t] = sum;
}

// All words of a group of words hold the number of the first word of another group.
kernel void link_groups(global uint *words, uint n, uint threads, uint group, uint shift)
{
	for (uint i = get_global_id(0); i < n; i += threads)
		words[i] = spread(i / group, n / group - 1, shift) * group;
}

// Threads of a group go together from one group of words to the next; @together of them read the same word.
kernel void coherent(global const uint *words, global uint *out, uint mask, uint group, uint together, uint steps)
{
	uint t = get_global_id(0), start = (t ^ (t & (group - 1))) & mask;
	uint offset = (t ^ (t & (together - 1))) & (group - 1);
	for (uint i = 0; i < steps; i++)
		start = words[start + offset];
	out[t] = start;
}

// Reads @length words in a row from each of the places that an array names.
kernel void apex(global const uint *from, global const uint *places, global uint *sums, uint places_mask, uint length,
		 uint threads, uint first, uint rounds)
{
	uint t = get_global_id(0), sum = 0;
	for (uint k = 0; k < rounds; k++) {
		uint at = places[(t + (first + k) * threads) & places_mask];
		for (uint i = 0; i < length; i++)
			sum += from[at + i];
	}
	sums[t] = sum;
}

// The same for groups of threads: all threads of one read the same words.
kernel void located(global const uint *from, global const uint *places, global uint *sums, uint places_mask, uint length,
		    uint threads, uint first, uint rounds, uint group)
{
	uint t = get_global_id(0), sum = 0;
	for (uint k = 0; k < rounds; k++) {
		uint at = places[(t + (first + k) * threads) / group & places_mask];
		for (uint i = 0; i < length; i++)
			sum += from[at + i];
	}
	sums[t] = sum;
}
