// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads the command line of every test program, with defaults from the environment.
#pragma once

#include <cstdint>
#include <string>

namespace selftest
{

struct options {
	bool list = false;
	bool verbose = false;        // shows how long cases took, and what passed ones wrote
	std::string filter;          // part of a case's name
	uint32_t traps = ~0u;        // --trap, or HET_TEST_TRAPS
	uint32_t devices = ~0u;      // --device, or HET_TEST_DEVICES
	uint32_t kinds = ~0u;        // --kind, or HET_TEST_KINDS
	uint32_t required_traps = 0; // --require-trap: a skip of one of these is a failure
	uint32_t required_devices = 0;
	unsigned repeat = 1;
	uint64_t seed = 0;
	unsigned jobs = 1;       // HET_TEST_JOBS
	bool full = false;       // HET_TEST_FULL
	double patience = 1;     // HET_TEST_PATIENCE, a factor on time limits
	std::string case_to_run; // --case: this one runs here, without a child (restart_with(), gdb)
};

options parse_options(int argc, char **argv);

} // namespace selftest
