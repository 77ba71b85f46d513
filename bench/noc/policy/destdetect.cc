// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// DestDetect (Enright Jerger and others, 2014): a node judges the layers by the packets that it received itself.
#include "noc/latency_memory.h"
#include "noc/policy.h"

namespace noc
{

namespace
{

class destdetect final : public policy
{
      public:
	destdetect(const policy_options &o, const surroundings &s)
	    : o_(o), heard_(s.plan.grid_of.size(), latency_memory(o.fifo))
	{
	}

	layer_route choose(unsigned core, unsigned) override { return heard_[core].choose(o_.threshold, no_limit); }

	void received(const packet &p) override { heard_[p.destination].add(layer_of(p.route), p.hop_latency); }

      private:
	static constexpr unsigned no_limit = ~0u; // the second threshold is DLL's

	const policy_options o_;
	std::vector<latency_memory> heard_;
};

} // namespace

std::unique_ptr<policy> make_destdetect(const policy_options &o, const surroundings &s)
{
	return std::make_unique<destdetect>(o, s);
}

} // namespace noc
