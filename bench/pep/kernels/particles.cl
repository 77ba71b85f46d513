// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Parboil: cutcp (potential of charges within a cutoff, on a lattice) and mri-q (a matrix of magnetic resonance).

#define ATOMS 8
#define POINTS 4

// A group has a region of 8 x 8 x 8 points of the lattice, four for each of 128 threads, and a list of bins with the
// charges near it. What is unused of a bin has no charge. @inverse: 1 / cutoff^2.
kernel void cutoff_potential(global const float4 *bins, global float *lattice, uint bins_of_group, float spacing,
			     float inverse)
{
	local float4 atoms[ATOMS];
	uint t = get_local_id(0), group = get_group_id(0);
	float x = spacing * (t % 8), y = spacing * (t / 8 % 8), z = spacing * (t / 64);
	float energy[POINTS] = {0, 0, 0, 0};
	for (uint b = 0; b < bins_of_group; b++) {
		if (t < ATOMS)
			atoms[t] = bins[(group * bins_of_group + b) * ATOMS + t];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint a = 0; a < ATOMS; a++) {
			float4 atom = atoms[a];
			float dx = atom.x - x, dy = atom.y - y, flat = dx * dx + dy * dy;
			for (uint p = 0; p < POINTS; p++) {
				float dz = atom.z - (z + 2 * spacing * p), square = flat + dz * dz;
				float s = 1 - square * inverse;
				if (s > 0)
					energy[p] += atom.w * native_rsqrt(square) * s * s;
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint p = 0; p < POINTS; p++)
		lattice[group * 512 + p * 128 + t] = energy[p];
}

kernel void compute_q(global const float *x, global const float *y, global const float *z, constant float4 *samples,
		      uint nsamples, global float *real, global float *imaginary)
{
	uint i = get_global_id(0);
	float px = x[i], py = y[i], pz = z[i], r = 0, m = 0;
	for (uint s = 0; s < nsamples; s++) {
		float4 k = samples[s];
		float angle = 6.2831853f * (k.x * px + k.y * py + k.z * pz);
		r += k.w * native_cos(angle);
		m += k.w * native_sin(angle);
	}
	real[i] = r;
	imaginary[i] = m;
}
