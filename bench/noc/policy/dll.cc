// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// DLL (Li Chen, ICCD 2016): where a packet arrives, its hop latency is sent back to the grid that it came from, over a
// ring of its own. A grid compares the means of what it last heard of the two layers.
#include "noc/feedback.h"
#include "noc/latency_memory.h"

namespace noc
{

namespace
{

class dll final : public policy
{
      public:
	dll(const policy_options &o, const surroundings &s)
	    : o_(o), plan_(s.plan), feedback_(o, s.plan), heard_(s.plan.grids, latency_memory(o.fifo))
	{
	}

	layer_route choose(unsigned core, unsigned) override
	{
		return heard_[plan_.grid_of[core]].choose(o_.threshold, o_.second_threshold);
	}

	void received(const packet &p) override
	{
		feedback_.send(p, p.hop_latency, [this](const congestion_message &m) { hear(m); });
	}

	void cycle() override
	{
		feedback_.step([this](const congestion_message &m) { hear(m); });
	}

      private:
	void hear(const congestion_message &m) { heard_[m.grid].add(m.layer, m.latency); }

	const policy_options o_;
	const floor_plan plan_;
	feedback feedback_;
	std::vector<latency_memory> heard_;
};

} // namespace

std::unique_ptr<policy> make_dll(const policy_options &o, const surroundings &s)
{
	return std::make_unique<dll>(o, s);
}

} // namespace noc
