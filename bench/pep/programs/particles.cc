// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/programs/programs.h"
#include "pep/record/recorder.h"

namespace bench
{
extern const kernel_text particles_kernels;
}

namespace pep
{

using model::compare;
using model::some_floats;

kernel_trace record_cutcp(bool tiny)
{
	constexpr unsigned groups = 4, atoms = 8, threads = 128;
	const uint32_t nbins = tiny ? 8 : 167;
	const float spacing = 0.5f, cutoff = 3, inverse = 1 / (cutoff * cutoff);
	std::vector<float> bins = some_floats(size_t{groups} * nbins * atoms * 4, 1, -1, 5);
	for (size_t a = 0; a < bins.size(); a += 20)
		bins[a + 3] = 0; // every fifth place is free
	std::vector<float> lattice(groups * 512);
	std::vector<double> expected(lattice.size());
	for (unsigned g = 0; g < groups; g++)
		for (unsigned i = 0; i < 512; i++) {
			const unsigned t = i % threads, p = i / threads;
			const double x = double(spacing) * (t % 8), y = double(spacing) * (t / 8 % 8),
				     z = double(spacing) * (t / 64 + 2 * p);
			for (size_t a = size_t{g} * nbins * atoms; a < size_t{g + 1} * nbins * atoms; a++) {
				const float *at = &bins[a * 4];
				const double square = (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y) +
						      (at[2] - z) * (at[2] - z);
				const double s = 1 - square * inverse;
				if (s > 0)
					expected[g * 512 + i] += at[3] / std::sqrt(square) * s * s;
			}
		}
	record::recorder r("cutcp", {&bench::particles_kernels});
	const record::array from = r.add(bins), to = r.add(lattice);
	kernel_trace t = r.run("cutoff_potential", {groups}, {threads}, from, to, nbins, spacing, inverse);
	compare("cutcp", lattice, expected, 1e-3);
	return t;
}

kernel_trace record_mri_q(bool tiny)
{
	constexpr unsigned groups = 4, threads = 256, n = groups * threads;
	const uint32_t nsamples = tiny ? 64 : 3072;
	std::vector<float> samples = some_floats(size_t{nsamples} * 4, 2, -0.5f, 0.5f), x = some_floats(n, 3, 0, 1),
			   y = some_floats(n, 4, 0, 1), z = some_floats(n, 5, 0, 1), real(n), imaginary(n);
	std::vector<double> expected_real(n), expected_imaginary(n);
	for (unsigned i = 0; i < n; i++)
		for (uint32_t s = 0; s < nsamples; s++) {
			const float *k = &samples[size_t{s} * 4];
			const double angle =
				2 * M_PI * (double(k[0]) * x[i] + double(k[1]) * y[i] + double(k[2]) * z[i]);
			expected_real[i] += k[3] * std::cos(angle);
			expected_imaginary[i] += k[3] * std::sin(angle);
		}
	record::recorder r("mri-q", {&bench::particles_kernels});
	const record::array ax = r.add(x), ay = r.add(y), az = r.add(z), as = r.add_constant(samples), ar = r.add(real),
			    ai = r.add(imaginary);
	kernel_trace t = r.run("compute_q", {groups}, {threads}, ax, ay, az, as, nsamples, ar, ai);
	compare("mri-q", real, expected_real, 1e-3);
	compare("mri-q", imaginary, expected_imaginary, 1e-3);
	return t;
}

} // namespace pep
