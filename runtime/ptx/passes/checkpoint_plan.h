// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides where a kernel stops, and what it saves there.
#pragma once

#include "ptx/passes/checkpoint_report.h"
#include "ptx/passes/checkpoint_units.h"

namespace het::ptx
{

struct stop_point {
	uint32_t statement = 0;  // number in the body: a label, a barrier, or the { of a scope with a barrier
	bool at_barrier = false; // threads stop before it
	bool replaced = false;   // the barrier does nothing but wait: that of the stop point does so, too
	bool votes = false;      // lanes of a warp stop together
	std::vector<saved_unit> saved;
	std::vector<uint32_t> recomputed; // statements of the body that run again on resume
	uint32_t live_bytes = 0;          // those of all registers that live here
	// Where threads that come here may have been saved before; and since where shared and local memory, and each
	// unit, are to be saved again.
	checkpoint_sets before = never_saved, stale_shared = never_saved, stale_local = never_saved;

	// Returns the words that a thread saves which comes from one of these.
	uint32_t words(checkpoint_sets since) const;
};

struct checkpoint_plan {
	std::string name;
	uint32_t loops = 0; // counts the labels that branches go back to
	std::vector<stop_point> points;
	// If this is there, the kernel stops at the begin of blocks alone, and has no points.
	std::optional<fault> begins_only;
	std::vector<fault> unstopped; // loops without a stop point, with the reason
	checkpoint_size size;
	// These are indices in module::variables of what is saved, without the shared memory that launches add.
	std::vector<uint32_t> shared, local;
	bool copies_async = false; // copies to shared memory may be under way at a stop point
};

checkpoint_plan plan_checkpoint(const module &m, const reach &calls, uint32_t kernel);

checkpoint_report describe_checkpoint(const module &m, uint32_t kernel, const checkpoint_plan &plan);

// A variable is copied in units of so many bytes, with what remains at its end byte by byte.
uint32_t copied_unit(const variable &v);
// Returns how many words of a context one thread's copy of the variable takes: one for each unit.
uint32_t copied_words(const variable &v);

} // namespace het::ptx
