// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/lane.h"

#include "dev/lane_pool.h"

#include <new>

namespace het
{

namespace
{

alignas(lane_pool) char memory[sizeof(lane_pool)];
lane_pool *lanes;

} // namespace

bool open_lanes(unsigned first)
{
	if (lanes)
		return false;
	lanes = new (memory) lane_pool(first, caller_lanes);
	return true;
}

lane_lease::lane_lease(unsigned own) : borrowed_(own == any_lane), lane_(borrowed_ ? lanes->borrow() : own) {}
lane_lease::~lane_lease()
{
	if (borrowed_)
		lanes->give_back(lane_);
}

} // namespace het
