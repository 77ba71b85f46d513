// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/group_rules.h"

#include <algorithm>

namespace het::rt
{

bool allows(const group_rules &rules, const launch_shape &shape, fatbin::fault &why)
{
	const size_t *required = rules.required, *local = shape.has_local() ? shape.local : required;
	size_t items = 1;
	if (!local[0])
		return true;
	if (required[0] && !std::equal(required, required + 3, local))
		return why.say(
			"the kernel requires groups of %zu x %zu x %zu work-items, and %zu x %zu x %zu were given",
			required[0], required[1], required[2], local[0], local[1], local[2]);
	for (unsigned d = 0; d < 3; d++) {
		size_t one = d < shape.dimensions ? local[d] : 1;
		if (__builtin_mul_overflow(items, one, &items) || items > rules.most)
			return why.say("groups of %zu x %zu x %zu work-items are larger than the %zu that are possible",
				       local[0], local[1], local[2], rules.most);
		if (rules.whole && d < shape.dimensions && shape.global[d] % one)
			return why.say("%zu work-items in dimension %u are no whole number of groups of %zu",
				       shape.global[d], d, one);
	}
	return true;
}

} // namespace het::rt
