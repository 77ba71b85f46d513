// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/group_shape.h"

namespace het::rt
{

void choose_local(launch_shape &s, const group_limits &limits)
{
	if (s.has_local())
		return;
	for (unsigned d = 0; d < 3; d++)
		s.local[d] = limits.required[0] ? limits.required[d] : 1;
	if (!limits.required[0])
		s.local[0] = choose_group(s.global[0], limits.most);
}

work_grid grid_of(const launch_shape &s)
{
	work_grid g = {s.dimensions, {}, {}, {}};
	for (unsigned d = 0; d < 3; d++) {
		g.global[d] = s.global[d];
		g.local[d] = s.local[d];
		g.offset[d] = s.offset[d];
	}
	return g;
}

} // namespace het::rt
