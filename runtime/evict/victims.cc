// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/victims.h"

#include <algorithm>

namespace het::rt
{

victims choose_victims(std::span<tenant> all, uint64_t wanted)
{
	std::ranges::sort(all, [](const tenant &a, const tenant &b) {
		return a.is != b.is ? a.is < b.is : a.arrived < b.arrived;
	});
	victims chosen = {room::enough, 0, 0};
	while (chosen.nbytes < wanted && chosen.count < all.size() && all[chosen.count].is == tenant::idle)
		chosen.nbytes += all[chosen.count++].nbytes;
	if (chosen.nbytes >= wanted)
		return chosen;
	uint64_t later = chosen.nbytes;
	for (const tenant &t : all)
		later += t.is == tenant::in_use ? t.nbytes : 0;
	return {later >= wanted ? room::must_wait : room::impossible};
}

} // namespace het::rt
