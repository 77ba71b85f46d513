// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs a kernel in a functional interpreter of PTX. Warps run in lockstep and meet again after branches, or (to find
// code that counts on that) every lane goes its own way in an order that only the seed decides.
#pragma once

#include "simt/program.h"

#include <functional>
#include <set>

namespace het::ptx::simt
{

struct extent {
	uint32_t x = 1, y = 1, z = 1;
	uint64_t count() const { return uint64_t{x} * y * z; }
};

struct launch {
	const code *kernel = nullptr;
	extent grid, block;
	uint32_t shared_bytes = 0;       // the dynamic ones
	std::vector<uint8_t> parameters; // laid out as the kernel declares them: code::parameters
};

// Describes an operation that lanes of a warp are about to compute.
struct step {
	const code *function;
	uint32_t statement; // number in its module
	uint64_t block;
	uint32_t warp;
	lanes mask;
	const uint64_t *addresses; // those of each lane; null means that it uses no memory
};

struct options {
	bool independent = false; // lets lanes run apart, instead of in lockstep
	uint64_t seed = 1;        // that of the order of independent lanes
	bool check_defined = false;
	// What was never written, in registers, shared and local memory, holds this, repeated; 0 is what they hold
	// anyway.
	uint64_t rubbish = 0;
	bool check_races = false;                       // looks for races in shared memory
	bool check_barriers = false;                    // checks that all threads reach barriers at once, and the like
	bool statistics = false;                        // counts memory accesses
	uint64_t most_instructions = uint64_t{1} << 40; // counts those of warps; more is a fault
	uint32_t resident_blocks = 1;                   // those that take turns; the others begin when one ends
	std::function<void(std::string_view)> print;    // takes what kernels print; null means that it goes nowhere
	std::function<void(const step &)> trace;        // told everything but control flow
	bool trace_barriers = false;                    // and barriers, too
};

// A check's finding has the first occurrence, and how many there were.
struct finding {
	enum class kind_t : uint8_t { undefined_value, race, barrier, warp };
	kind_t kind;
	fault first;
	uint64_t times = 1;
};

// Tells how often an instruction ran, and what its accesses were like.
struct site_counts {
	uint32_t function = 0;  // number in program::codes
	uint32_t statement = 0; // number in its module
	uint64_t warps = 0, threads = 0;
	uint64_t divergent = 0;          // counts branches that parted a warp
	uint64_t lines = 0, pages = 0;   // distinct ones of 128 bytes and 64 KiB, summed over warps
	uint64_t shared = 0, passes = 0; // accesses to shared memory, and how often banks had to be asked for them
};

struct counts {
	uint64_t warp_instructions = 0, thread_instructions = 0;
	uint64_t branches = 0, divergent_branches = 0;
	std::vector<site_counts> sites;               // there with statistics, for those that ran
	std::set<uint64_t> written_pages, read_pages; // there with statistics: global addresses / 64 KiB
};

struct outcome {
	std::optional<fault> error; // there if the kernel did not end well
	std::vector<finding> findings;
	struct counts counts;
};

outcome run(const program &p, const launch &l, const options &o);

} // namespace het::ptx::simt
