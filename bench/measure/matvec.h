// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures x <- A x + b in five ways of keeping host and device consistent, which are those of the paper on libgpuvm
// (2011).
#pragma once

#include "common/device.h"
#include "common/stats.h"

#include <string>
#include <vector>

namespace bench
{

struct matvec_options {
	size_t n = 2048;
	unsigned iterations = 1000;
	unsigned block = 20;     // so many iterations of one variant come before the next has its turn
	bool edges = false;      // uses heap arrays that begin and end inside pages of the allocator
	bool read_touch = false; // lets libhet-false read its page instead of writing it
	// Lets libhet-copy begin kernels with the access they need, not read-write throughout.
	bool declared_access = false;
	bool tuned = false; // uses a kernel made for speed, instead of the plain one with a row a work-item
};

// Tells where the time of an iteration goes, in µs.
struct matvec_phases {
	double total = 0;
	double device = 0;   // time of the kernel, as the device reports it
	double copy = 0;     // time of copies between host and device
	double overhead = 0; // time of begin and end calls, less the copies in them
	double fault = 0;    // time of host touches that were caught, less the copies for them
	double other() const { return total - device - copy - overhead - fault; }
};

struct matvec_result {
	std::string variant;
	std::vector<matvec_phases> blocks; // each is the mean of an iteration in one block
	double error = 0; // the largest difference from the host's result, relative to the largest element
	matvec_phases median() const;
	std::vector<double> totals() const;
};

// The variants have the order of the results of run_matvec().
enum matvec_variant { full_copy, auto_sync, libhet, libhet_copy, libhet_false };

// Larger errors are not within float tolerance.
inline constexpr double matvec_tolerance = 1e-4;

// Runs all variants on device @idev, for which the library was started.
std::vector<matvec_result> run_matvec(device &d, unsigned idev, const matvec_options &options);

struct matvec_ratio {
	std::string name;
	matvec_variant variant, reference;
	double must; // the largest ratio that is good enough
};

// Returns the comparisons that the figures ask for.
std::vector<matvec_ratio> matvec_ratios(bool edges);

ratio ratio_of(const std::vector<matvec_result> &results, const matvec_ratio &which);

} // namespace bench
