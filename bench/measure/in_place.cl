// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// in-place.cc launches these kernels, of which nobody knows beforehand which bytes they use.

// Each item sums up what it finds at so many places of a table. With a power of 1 all places are as likely as each
// other; the larger it is, the more of what is looked up lies at the begin.
kernel void probe(global const ulong *table, global ulong *sums, ulong places, uint each, uint power)
{
	ulong i = get_global_id(0), sum = 0;
	for (uint k = 0; k < each; k++) {
		ulong h = (i * each + k + 1) * 0x9E3779B97F4A7C15UL;
		h ^= h >> 32;
		h *= 0xD6E8FEB86659FD93UL;
		h ^= h >> 32;
		ulong at = h;
		for (uint p = 1; p < power; p++)
			at = mul_hi(at, h);
		sum += table[mul_hi(at, places)];
	}
	sums[i] = sum;
}

// Each item goes down a column of a matrix that lies row by row.
kernel void columns(global const float *matrix, global const float *x, global float *y, uint rows)
{
	uint c = get_global_id(0), n = get_global_size(0);
	float sum = 0;
	for (uint r = 0; r < rows; r++)
		sum += matrix[(ulong)r * n + c] * x[r];
	y[c] = sum;
}
