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

// However its groups are divided over devices, they write what one device writes. Null, or why that is not known.
const char *why_not_safe(const analysed_launch &l);

} // namespace het::rt
