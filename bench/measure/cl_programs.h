// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Ten programs with real work, as OpenCL programs write them: what they need to be run on any device, and nothing of
// how. Five wait for memory, five for the processors.
#pragma once

#include "common/kernel_text.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace bench
{

// A buffer of a program's. It is written before the first launch if it has a start, and read after the last one if it
// is a result.
struct cl_array {
	size_t nbytes = 0;
	std::vector<char> start;
	bool result = false;
};

struct cl_program_text {
	std::string name;
	const kernel_text *text = nullptr;
	const char *kernel = nullptr;
	std::vector<cl_array> arrays = {};
	// An argument is the number of an array, or a value.
	std::vector<std::variant<size_t, std::vector<char>>> arguments = {};
	std::array<size_t, 2> global = {1, 1}, local = {1, 1};
	unsigned steps = 1;
	bool swaps = false; // the first two arguments, after each step
};

// How large the programs are: for devices whose items are slow, for processors, for GPUs.
enum class cl_size { small, usual, large };

// A program is made when it is needed: large ones have gigabytes to begin with.
struct cl_program_maker {
	const char *name;
	bool computes; // rather than moves memory
	cl_program_text (*make)(cl_size size);
};

std::span<const cl_program_maker> cl_programs();

} // namespace bench
