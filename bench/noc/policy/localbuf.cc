// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// LocalBuf, the local congestion of Catnap: a router is congested while more than a share of its buffers is full.
// Packets go down where several routers of their grid are congested and the grid's own is not.
#include "noc/policy.h"

namespace noc
{

namespace
{

class localbuf final : public policy
{
      public:
	localbuf(const policy_options &o, const surroundings &s) : o_(o), s_(s) {}

	layer_route choose(unsigned core, unsigned) override
	{
		const unsigned grid = s_.plan.grid_of[core];
		unsigned congested = 0;
		for (uint16_t c : s_.plan.cores_of[grid])
			congested += s_.occupancy(s_.plan.router_of_core[c]) > o_.occupancy;
		const bool below = s_.occupancy(s_.plan.router_of_grid[grid]) > o_.occupancy;
		return congested >= o_.congested_routers && !below ? through_interposer : through_cores;
	}

      private:
	const policy_options o_;
	const surroundings s_;
};

} // namespace

std::unique_ptr<policy> make_localbuf(const policy_options &o, const surroundings &s)
{
	return std::make_unique<localbuf>(o, s);
}

} // namespace noc
