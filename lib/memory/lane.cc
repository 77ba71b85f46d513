// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/lane.h"

namespace het
{

lane_lease::lane_lease(lane_pool &lanes, unsigned own)
    : lender_(own == any_lane ? &lanes : nullptr), lane_(lender_ ? lanes.borrow() : own)
{
}
lane_lease::~lane_lease()
{
	if (lender_)
		lender_->give_back(lane_);
}

} // namespace het
