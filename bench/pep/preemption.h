// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One preemption: all processors are to be free of a kernel's blocks, by one of the techniques of the thesis.
#pragma once

#include "pep/chimera.h"
#include "pep/gpu.h"
#include "pep/selector.h"

namespace pep
{

enum class technique : uint8_t { chimera, chimera_dirty, pep, pep_in_place };
constexpr unsigned techniques = 4;
const char *name_of(technique t);

// Times are microseconds.
struct request {
	technique by = technique::chimera;
	double limit = 0;     // of Chimera
	double takes = 0;     // a launch, from its call until it is there
	double predicted = 0; // the same, as PEP expects it
	bool may_flush = false;
	int saved_blocks =
		-1; // so many of each processor are saved and the others drain, whatever a technique would do
};

struct outcome {
	double latency = 0;        // until a processor is free, in the mean
	double save_latency = 0;   // until the last block that was saved has left a processor, if there is one
	double drain_latency = 0;  // the same of those that drained
	double stood = 0;          // how long blocks stood for checkpoints, in the mean over those that were saved
	double stood_for_base = 0; // the part of it before the launch was there
	uint64_t base_bytes = 0, delta_bytes = 0; // of all blocks that were saved; one checkpoint is a delta of nothing
	uint64_t in_place_bytes = 0;              // of the deltas, that stayed on the chip
	uint64_t saved_blocks = 0, drained_blocks = 0, flushed_blocks = 0; // flushed ones count as drained, too
	std::array<uint64_t, leavings> leaves = {};
	double predicted_save = 0,
	       predicted_drain = 0; // by the technique, in the mean over processors that have such blocks
};

// What the techniques know of a kernel from its earlier blocks.
struct known_kernel {
	double block_cycles = 0;
	double steps = 0;
};

// @at_call: when the launch was called. It is copied.
outcome preempt(const gpu &at_call, const machine &m, const kernel_trace &k, const known_kernel &known,
		const request &r);

} // namespace pep
