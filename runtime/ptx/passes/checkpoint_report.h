// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells users what the pass checkpoint has made of a kernel.
#pragma once

#include "ptx/passes/checkpoint.h"
#include "ptx/text.h"

namespace het::ptx
{

struct checkpoint_report {
	struct point {
		position at;
		bool at_barrier;      // else at the head of a loop
		bool votes;           // lanes of a warp stop together
		uint32_t live_bytes;  // those of the registers of a thread that live there
		uint32_t saved_bytes; // what a thread saves of them: the rest is computed again
		uint32_t delta_bytes; // and what it saves again if it was saved here before
	};
	std::string kernel;
	uint32_t loops = 0;
	std::vector<point> points;
	checkpoint_size size;
	std::optional<fault> begins_only; // why the kernel stops at the begin of blocks alone
	std::vector<fault> unstopped;     // why loops have no stop point
};

} // namespace het::ptx
