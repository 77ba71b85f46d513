// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All runs of the thesis' evaluation: each kernel is preempted at a quarter, at half and at three quarters of its
// blocks, by Chimera with three limits, and by PEP with four lengths of a launch and two predictions of it.
#pragma once

#include "pep/preemption.h"
#include "pep/programs/programs.h"

#include <functional>
#include <map>
#include <string>

namespace pep
{

constexpr double fractions[] = {0.25, 0.5, 0.75};

struct run_key {
	double fraction = 0;
	technique by = technique::chimera;
	double limit = 0, takes = 0, predicted = 0;

	auto operator<=>(const run_key &) const = default;
};

// What the model says of a kernel.
struct measured_kernel {
	const program *of = nullptr;
	unsigned registers = 0, threads = 0;
	double context_kb = 0;        // of a block
	unsigned fit = 0, blocks = 0; // of a processor: those that it has room for, and those that run
	double block_us = 0;          // in the mean over the first ones
	double steps = 0;             // of a block
	bool is_idempotent = false;
	std::map<double, double> dirty; // by fraction: registers written / allocated
	std::map<run_key, outcome> runs;

	// Means over all runs of a technique.
	double mean(technique t, const std::function<double(const outcome &)> &of_run) const;
	double latency(technique t) const
	{
		return mean(t, [](const outcome &o) { return o.latency; });
	}
	// Sums over all of them.
	double sum(technique t, const std::function<double(const outcome &)> &of_run) const;
};

struct study_options {
	machine of = {};
	bool quick = false; // tiny programs, and one run of each technique
	bool fills = false; // a processor has as many blocks as it has room for, not as table 4.1 says
	bool may_flush = false;
};

measured_kernel measure(const program &p, const study_options &o);

// Figures 4.3 and 4.4: of @blocks blocks of a processor so many are saved at half of their time, and the others drain.
struct split_outcome {
	unsigned saved;
	outcome was;
};
std::vector<split_outcome> measure_splits(const program &p, const study_options &o, unsigned blocks);

} // namespace pep
