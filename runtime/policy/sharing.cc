// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/sharing.h"

#include <algorithm>

namespace het::rt
{

bool is_shared(std::span<used_bytes> uses, uint64_t granule)
{
	std::sort(uses.begin(), uses.end(), [](const used_bytes &a, const used_bytes &b) { return a.begin < b.begin; });
	// As long as nothing is shared, what a launch uses lies behind all that the others have used before it.
	uint64_t furthest = 0;
	unsigned launch = 0;
	for (const used_bytes &u : uses) {
		if (u.begin == u.end)
			continue;
		if (u.launch != launch && u.begin / granule < furthest)
			return true;
		furthest = std::max(furthest, (u.end - 1) / granule + 1);
		launch = u.launch;
	}
	return false;
}

} // namespace het::rt
