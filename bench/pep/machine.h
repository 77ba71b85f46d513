// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The machine that the model is: table 4.2 of the thesis, and what the table leaves open. Times are cycles of the
// processors' clock. Documentation/pep-model.rst has the source of each parameter.
#pragma once

#include "model/parameters.h"

#include <cstdint>

namespace pep
{

using cycle = uint64_t;
constexpr cycle never = ~cycle{0};
constexpr unsigned line_bytes = 128;
constexpr unsigned lanes_of_warp = 32;

struct machine {
	// Table 4.2 says these.
	double clock_mhz = 1216;
	unsigned processors = 16;
	unsigned register_kb = 256, shared_kb = 96; // of a processor
	unsigned schedulers = 4;                    // of a processor; each takes its warps in turns
	unsigned controllers = 4;
	double memory_mhz = 7000; // transfers a microsecond of each wire
	unsigned blocks_of_processor = 32;
	// The thesis' text says these.
	double trap_us = 1.3;
	unsigned look_instructions = 1000; // of a block that began after the announcement, until it is looked at again

	// Neither says these.
	unsigned threads_of_processor = 2048;
	unsigned controller_bytes = 8; // that a controller's wires carry at once
	unsigned l2_kb = 2048, l2_ways = 16;
	unsigned arithmetic_cycles = 6, special_cycles = 20, shared_cycles = 24, l2_cycles = 200;
	unsigned memory_cycles = 150; // of a line that the L2 has not, more
	// How long a scheduler's unit has a warp: units are narrower than a warp, and some operations are many
	// instructions.
	unsigned special_slots = 4, wide_slots = 32, subroutine_slots = 8, product_slots = 3;
	unsigned branch_slots = 1;
	double warm_us =
		100; // that blocks run before what is measured, or until so many bytes have moved as the L2 has
	unsigned lines_in_flight = 32; // of a processor that saves
	unsigned save_line_cycles = 4; // at least, between two of them

	cycle cycles_of(double us) const { return cycle(us * clock_mhz + 0.5); }
	double us_of(cycle c) const { return double(c) / clock_mhz; }
	// Returns how long a controller takes for a line.
	double line_cycles() const { return line_bytes / (controller_bytes * memory_mhz / clock_mhz); }
	// Returns a processor's share of what all controllers move, in bytes a cycle.
	double share() const { return line_bytes / line_cycles() * controllers / processors; }
	uint64_t on_chip_bytes() const { return uint64_t{register_kb + shared_kb} << 10; }
};

// Returns the machine with so many times fewer processors, and as much less of what they share. A processor does on it
// what it did before, but for chance.
machine scaled(const machine &m, unsigned factor);

// Sets what "name=value" says. Throws std::invalid_argument.
void set(machine &m, const std::string &text);
// Sets what the lines of a file say; what follows a # is a comment. Throws std::runtime_error or std::invalid_argument.
void set_from_file(machine &m, const std::string &path);
std::vector<model::parameter> parameters_of(const machine &m);

} // namespace pep
