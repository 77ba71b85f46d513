// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Chimera (Park and others, ASPLOS 2015) chooses for each block of a processor how it is to leave: of the ways that
// take no longer than a limit the one that loses the fewest instructions, and the quickest if there is none.
#pragma once

#include <cstdint>

namespace pep
{

enum class way_out : uint8_t { save, drain, flush };

// What it knows of a block.
struct chimera_block {
	double done = 0;        // instructions
	double mean = 0;        // of a block in all
	double most_done = 0;   // of the processor's blocks
	double rate = 0;        // instructions a cycle
	double switching = 0;   // cycles that its own context takes alone
	bool may_flush = false; // what it did may be done again
};

struct chimera_choice {
	way_out way = way_out::save;
	double cycles = 0; // that it is expected to take
	double lost = 0;   // instructions
};

// @limit: cycles.
chimera_choice choose_chimera(const chimera_block &b, double limit);

} // namespace pep
