// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// HET_PATHS asks for a policy, and for the links of GPUs that the process does not use: `latency`, `latency,all`,
// `2,3`. This is pure.
#pragma once

#include "paths/policy.h"

#include <cstdint>

namespace het::paths
{

struct request {
	static constexpr unsigned most_numbers = 64;

	const policy *chosen = &latency_policy();
	bool is_set = false;       // something is asked for, and understood
	bool is_understood = true; // if it is not, nothing counts as asked for
	bool all = false;          // GPUs that there are help
	uint64_t helpers = 0;      // a bit for each that was named by its number

	// Without a path besides the direct one nobody helps.
	bool asks_for(unsigned gpu) const
	{
		return chosen != &direct_policy() && gpu < most_numbers && (all || helpers >> gpu & 1);
	}
};

// Reads the variable's text, which is null where it is not set.
request read_request(const char *text);

} // namespace het::paths
