// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds the arguments of the kernel: what its description and the command line say of each, with their bytes.
#pragma once

#include "run/argument_text.h"
#include "run/element.h"

#include <het.hpp>
#include <vector>

namespace tool::run
{

struct argument {
	std::string name, type;
	uint32_t kind = 0;   // HET_ARG_VALUE, HET_ARG_LOCAL or HET_ARG_RANGE
	uint32_t access = 0; // that of a range
	element of;
	std::vector<std::byte> bytes; // a value, or a range as it is before the launch
	size_t local_bytes = 0;
	std::optional<het_pattern> pattern;
	std::string out;
	uint64_t show = 0;

	bool is_written() const { return kind == HET_ARG_RANGE && access != HET_READ_ONLY; }
};

// Makes the arguments. @work_items is the number of elements of an array of which nothing else is said. Throws
// std::runtime_error with a sentence.
std::vector<argument> bind_arguments(const het::kernel &k, const std::vector<std::string> &texts, uint64_t work_items);

} // namespace tool::run
