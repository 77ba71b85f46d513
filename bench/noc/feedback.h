// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The policies of DLL's wires share this: where a packet arrives, its grid tells the grid that it came from what its
// way was like.
#pragma once

#include "noc/policy.h"

namespace noc
{

class feedback
{
      public:
	feedback(const policy_options &o, const floor_plan &plan)
	    : plan_(plan), at_once_(o.ideal_ring),
	      ring_(plan.grids, o.ring_cycles, o.ring_queue, o.direction, order_of(o, plan))
	{
	}

	// Calls heard(message) for what needs no ring: a grid tells itself at once.
	template <typename F> void send(const packet &p, uint8_t latency, F &&heard)
	{
		const unsigned here = plan_.grid_of[p.destination];
		const congestion_message m = {plan_.grid_of[p.source], latency, uint8_t(layer_of(p.route))};
		if (at_once_ || here == m.grid)
			heard(m);
		else
			ring_.send(here, m);
	}
	// Does one cycle, and calls heard(message) for each that has come over the ring.
	template <typename F> void step(F &&heard) { ring_.step(heard); }

      private:
	static std::vector<uint8_t> order_of(const policy_options &o, const floor_plan &plan)
	{
		std::vector<uint8_t> order;
		for (unsigned i = 0; i < plan.grids; i++) {
			const unsigned y = i / plan.grids_a_row, x = i % plan.grids_a_row;
			const bool other_way = !o.ring_in_rows && y % 2 == 1;
			order.push_back(uint8_t(y * plan.grids_a_row + (other_way ? plan.grids_a_row - 1 - x : x)));
		}
		return order;
	}

	const floor_plan plan_;
	const bool at_once_;
	congestion_ring ring_;
};

} // namespace noc
