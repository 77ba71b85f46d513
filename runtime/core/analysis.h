// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This tells what the analysis of a kernel in a fat binary says of one launch.
#pragma once

#include "core/program.h"
#include "core/ranges.h"

namespace het::rt
{

struct analysed_launch {
	const het_kernel &kernel;
	const launch_shape &shape; // has its groups, and the dimension along which they are divided
	std::span<const device_arg> args;
	std::span<const range_use> uses; // are those of the arguments that are memory, in their order
};

// Finds, as far as they are known, the patterns of uses that have none yet. Returns whether there are any.
bool find_patterns(const analysed_launch &l, std::span<het_pattern> patterns);
// The pattern is one that was found so.
bool is_found(const het_pattern &p);
// Takes back what that has found: those that the caller of the launch has given stay.
void forget_found_patterns(std::span<het_pattern> patterns);

// Returns whether the kernel is known not to be safe, and the launch's flags do not say that the program knows better.
// If so, it has been said.
bool is_refused(het_kernel &kernel, uint32_t flags);

// Returns null if its groups write what one device writes, however they are divided over devices, or else why that is
// not known.
const char *why_not_safe(const analysed_launch &l);

} // namespace het::rt
