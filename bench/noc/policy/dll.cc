// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// DLL (Li Chen, ICCD 2016): where a packet arrives, its hop latency is sent back to the grid that it came from, over a
// ring of its own. A grid compares the means of what it last heard of the two layers.
#include "noc/latency_memory.h"
#include "noc/policy.h"
#include "noc/ring.h"

namespace noc
{

namespace
{

class dll final : public policy
{
      public:
	dll(const policy_options &o, const surroundings &s)
	    : o_(o), plan_(s.plan), ring_(s.plan.grids, o.ring_cycles, o.ring_queue),
	      heard_(s.plan.grids, latency_memory(o.fifo))
	{
	}

	layer_route choose(unsigned core, unsigned) override
	{
		return heard_[plan_.grid_of[core]].choose(o_.threshold, o_.second_threshold);
	}

	void received(const packet &p) override
	{
		const congestion_message m = {plan_.grid_of[p.source], p.hop_latency, uint8_t(layer_of(p.route))};
		const unsigned here = plan_.grid_of[p.destination];
		if (o_.ideal_ring || here == m.grid)
			hear(m);
		else
			ring_.send(here, m);
	}

	void cycle() override
	{
		ring_.step([this](const congestion_message &m) { hear(m); });
	}

      private:
	void hear(const congestion_message &m) { heard_[m.grid].add(m.layer, m.latency); }

	const policy_options o_;
	const floor_plan plan_;
	congestion_ring ring_;
	std::vector<latency_memory> heard_;
};

} // namespace

std::unique_ptr<policy> make_dll(const policy_options &o, const surroundings &s)
{
	return std::make_unique<dll>(o, s);
}

} // namespace noc
