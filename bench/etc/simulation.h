// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs a program's trace on the machine, with so much memory for its arrays and with the techniques that are asked for.
#pragma once

#include "etc/demand.h"
#include "etc/plan.h"
#include "etc/planned.h"
#include "etc/processors.h"
#include "policy/regularity.h"

namespace etc
{

enum class mode : uint8_t {
	demand,    // pages come when they are missed, and with them the techniques below
	automatic, // the same, with ETC's techniques by the program's class, once that is known
	planned,   // what slices use is known: known sets, slices, order
};

struct configuration {
	machine of;
	mode how = mode::demand;
	het::rt::techniques with; // for mode::demand
	bool shared = false;      // for mode::automatic: what the compiler has seen of the program
	uint64_t capacity = 0;    // bytes of memory
	double ratio = 1;         // of compression: bytes that the memory of one has room for
	grain throttled = grain::processors;
	unsigned down = 1, up = 1; // steps of throttling
	bool adapts = true;        // false: half of the processors stop, and that is all
	plan_options order;        // for mode::planned
	cycle rate_window = 0;     // counts faults in windows of so many cycles
	bool check = false;        // checks after each event that the pages add up
};

struct result {
	cycle cycles = 0;
	uint64_t items = 0;                        // instructions of warps that used memory
	double sample_lines = 0, sample_pages = 0; // of an instruction, in the classifier's sample
	double lines = 0, pages = 0;               // in all
	bool regular = true;                       // as the sample tells
	demand_counts demand;
	planned_counts planned;
	uint64_t bytes_in = 0, bytes_out = 0;          // over the bus
	uint64_t remote_lines = 0, remote_written = 0; // over the bus, in place
	uint64_t walks = 0;
	uint32_t most_pages = 0; // that had a frame at once
	double running = 0;      // processors (blocks, warps) that run, in the mean over the time of throttling
	std::vector<uint64_t> fault_rate;
};

// Throws std::logic_error if the model comes to a stop, or does not add up.
result simulate(const program_trace &t, const configuration &c);

} // namespace etc
