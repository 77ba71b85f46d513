// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Adaptive: DLL's wires and bits, used otherwise. A grid keeps a running mean of what it hears of each route, and draws
// the route of each packet: the share of a route rises with how much slower the other ones are.
//
// A threshold makes all cores of a grid change sides at once, some time after the load did, and so both layers swing.
// Shares move by small steps. Near the nominal share they need no message at all; the messages only correct it. That
// is what the interposer carries where all routes are used alike, less twice what memory takes, whose packets meet in
// the two columns beside the controllers.
#include "noc/feedback.h"

#include <algorithm>

namespace noc
{

namespace
{

// What a grid keeps: 46 bits, where DLL has two FIFOs of 20.
struct grid_state {
	uint8_t means[4] = {}; // of each route: six bits, eighths of a step
	uint8_t memory = 0;    // of 64 packets, those to memory: six bits
	uint16_t random = 0;   // shift register
};

class adaptive final : public policy
{
      public:
	adaptive(const policy_options &o, const surroundings &s)
	    : o_(o), plan_(s.plan), both_orders_(s.both_orders), feedback_(o, s.plan), grids_(s.plan.grids),
	      since_(s.plan.grids)
	{
		random_stream seeds(o.seed, stream);
		for (grid_state &g : grids_)
			g.random = uint16_t(1 + seeds.below(0xffff)); // not 0, which stays
	}

	layer_route choose(unsigned core, unsigned) override
	{
		grid_state &g = grids_[plan_.grid_of[core]];
		const uint8_t *const m = g.means;
		if (below(g, g.memory))
			g.memory--;
		const int nominal = int(o_.nominal) - memory_weight * g.memory;
		if (!both_orders_)
			return draw(g, nominal + moved_by(m[0] - m[1])) ? through_interposer : through_cores;
		const int slower = (m[through_cores] + m[through_cores_x_first] - m[through_interposer] -
				    m[through_interposer_x_first]) /
				   2;
		const bool down = draw(g, nominal + moved_by(slower));
		const unsigned y_first = down ? through_interposer : through_cores;
		const bool x_first = draw(g, shares / 2 + moved_by(m[y_first] - m[y_first + 2]));
		return layer_route(y_first + 2 * x_first);
	}

	// With these two rules the mean of g.memory is the share of memory packets, though it holds six bits alone.
	void memory_packet(unsigned core) override
	{
		grid_state &g = grids_[plan_.grid_of[core]];
		if (!below(g, g.memory))
			g.memory = uint8_t(std::min(g.memory + 1, shares - 1));
	}

	void received(const packet &p) override
	{
		unsigned &since = since_[plan_.grid_of[p.destination]];
		if (++since < o_.sample)
			return;
		since = 0;
		const unsigned order = both_orders_ ? p.route >> 1 : 0;
		feedback_.send(p, uint8_t(step_of(p) | order << 3), [this](const congestion_message &m) { hear(m); });
	}

	void cycle() override
	{
		feedback_.step([this](const congestion_message &m) { hear(m); });
	}

      private:
	static constexpr uint64_t stream = 0x61646170; // not that of a core
	static constexpr int shares = 64, least = 2, memory_weight = 2;

	// Returns by how much of 64 a share moves for so many eighths of a cycle a hop. With twice as much the layers
	// swing, as what is heard is old.
	int moved_by(int slower) const { return int(o_.gain) * slower / 2; }

	// The message's four bits: the order of dimensions, and three for the cycles a hop above those of an empty
	// router.
	unsigned step_of(const packet &p) const
	{
		return std::min<unsigned>(p.hop_latency > o_.empty_hop ? p.hop_latency - o_.empty_hop : 0, 7);
	}

	// Whether a number drawn from 0 to 63 lies below @share.
	static bool below(grid_state &g, int share)
	{
		for (unsigned i = 0; i < 6; i++) // x^16 + x^14 + x^13 + x^11 + 1
			g.random = uint16_t(g.random >> 1 ^ (g.random & 1 ? 0xb400 : 0));
		return int(g.random & 63) < share;
	}

	// No route is ever left out, so that each is heard of.
	static bool draw(grid_state &g, int share) { return below(g, std::clamp(share, least, shares - least)); }

	void hear(const congestion_message &m)
	{
		uint8_t &mean = grids_[m.grid].means[(m.latency >> 3) * 2 + m.layer];
		mean = uint8_t(mean - (mean >> 3) + (m.latency & 7));
	}

	const policy_options o_;
	const floor_plan plan_;
	const bool both_orders_;
	feedback feedback_;
	std::vector<grid_state> grids_;
	std::vector<unsigned> since_; // packets that each grid received since its last message
};

} // namespace

std::unique_ptr<policy> make_adaptive(const policy_options &o, const surroundings &s)
{
	return std::make_unique<adaptive>(o, s);
}

} // namespace noc
