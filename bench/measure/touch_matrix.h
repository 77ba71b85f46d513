// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures touches of several subjects (traps on devices) under several circumstances, in interleaved rounds.
#pragma once

#include "common/stats.h"
#include "measure/touch.h"

#include <functional>

namespace bench
{

struct touch_plan {
	std::vector<touch_subject> subjects;
	std::vector<touch_cell> cells;
	unsigned rounds;
	unsigned samples; // for a cell and round
	double seconds;   // for a cell and round, at most
	std::function<bool(const touch_subject &, const touch_cell &)> wanted = nullptr; // if it is null, all are
};

struct touch_result {
	touch_subject subject;
	touch_cell cell;
	size_t fetched = 0;
	summary touch, raw, first_write;                                  // over all rounds
	std::vector<double> touch_rounds, raw_rounds, first_write_rounds; // medians of the rounds
};

struct touch_outcome {
	std::vector<touch_result> results;
	struct missing {
		touch_subject subject;
		std::string why;
	};
	std::vector<missing> unavailable;
	json libraries; // the trap in use and why, by subject

	// Returns null if it was not measured.
	const touch_result *find(const touch_subject &s, const touch_cell &c) const;
};

// A subject that can't be had, or fails on the way, is listed as unavailable from then on.
touch_outcome run_touch_plan(const touch_plan &plan, const std::string &title);

} // namespace bench
