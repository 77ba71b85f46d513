// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the analysis of a kernel in a fat binary says of one launch.
#pragma once

#include "core/program.h"
#include "core/ranges.h"

namespace het::rt
{

struct analysed_launch {
	const het_kernel &kernel;
	const launch_shape &shape; // with its groups, and the dimension along which they are divided
	std::span<const device_arg> args;
	std::span<const range_use> uses; // of the arguments that are memory, in their order
};

// Patterns of uses that have none yet, as far as they are known. Whether there are any.
bool find_patterns(const analysed_launch &l, std::span<het_pattern> patterns);

// The kernel is known not to be safe, and the launch's flags do not say that the program knows better. That has been
// said.
bool is_refused(het_kernel &kernel, uint32_t flags);

// However its groups are divided over devices, they write what one device writes. Null, or why that is not known.
const char *why_not_safe(const analysed_launch &l);

} // namespace het::rt
