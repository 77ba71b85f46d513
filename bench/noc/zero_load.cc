// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The latency of a packet that is alone in its network.
#include "noc/simulation.h"

#include <stdexcept>
#include <vector>

namespace noc
{

namespace
{

// These are a topology's links, by the output that each one stands behind.
class links_by_output
{
      public:
	explicit links_by_output(const topology &t) : first_(t.routers.size() + 1)
	{
		for (size_t r = 0; r < t.routers.size(); r++)
			first_[r + 1] = first_[r] + t.routers[r].ports;
		links_.resize(first_.back());
		for (const link &l : t.links)
			links_[first_[l.from] + l.from_port] = &l;
	}

	const link &at(unsigned router, uint8_t port) const
	{
		if (const link *const l = links_[first_[router] + port])
			return *l;
		throw std::logic_error("a route leads to a port without a link");
	}

      private:
	std::vector<size_t> first_;
	std::vector<const link *> links_;
};

// Each channel takes its own cycles and one to be latched; each router its input stage, one for the VC, one for the
// switch and the traversal; the last flit comes as much later as there are flits before it.
unsigned latency_over(const links_by_output &links, const topology &t, const route_table &routes, const parameters &p,
		      unsigned source, unsigned destination, unsigned route, unsigned length)
{
	const unsigned in_router = p.input_cycles + 1 + p.switch_cycles;
	const terminal &to = t.terminals[destination];
	unsigned at = t.terminals[source].router;
	unsigned cycles = t.terminals[source].cycles + 1u;
	while (at != to.router) {
		const link &l = links.at(at, routes.port(route, at, destination));
		cycles += in_router + l.cycles + 1u;
		at = l.to;
	}
	return cycles + in_router + to.cycles + 1u + length - 1;
}

} // namespace

unsigned zero_load_latency(const topology &t, const route_table &routes, const parameters &p, unsigned source,
			   unsigned destination, unsigned route, unsigned length)
{
	return latency_over(links_by_output(t), t, routes, p, source, destination, route, length);
}

double zero_load_latency(const configuration &c)
{
	const topology t = topology_of(c);
	const route_table routes = routes_of(t, c.how);
	const links_by_output links(t);
	const unsigned cores = c.width * c.height;
	const double length = mean_length(c.traffic);
	const auto mean_over = [&](const std::vector<unsigned> &sources, const std::vector<unsigned> &to,
				   unsigned route) {
		double sum = 0;
		for (unsigned s : sources)
			for (unsigned d : to)
				sum += latency_over(links, t, routes, c.router, s, d, routes.taken(route, s, d), 1);
		return sum / double(sources.size()) / double(to.size());
	};
	std::vector<unsigned> all, memory;
	for (unsigned i = 0; i < t.terminals.size(); i++)
		(t.terminals[i].memory ? memory : all).push_back(i);
	const auto mean_of = [&](pattern what) {
		const std::vector<uint16_t> permuted = permutation(what, c.width, c.height);
		if (permuted.empty())
			return mean_over(all, all, 0);
		double sum = 0;
		for (unsigned s = 0; s < cores; s++)
			sum += mean_over({s}, {permuted[s]}, 0);
		return sum / cores;
	};
	double among_cores = mean_of(c.traffic.what);
	for (pattern p : c.traffic.then)
		among_cores += mean_of(p);
	among_cores /= double(1 + c.traffic.then.size());
	const double share = c.traffic.memory_share;
	const double to_memory = share > 0 ? mean_over(all, memory, through_interposer) : 0;
	const double sent = among_cores * (1 - share) + to_memory * share + length - 1;
	// A reply has the way of what it answers.
	const double back = c.answered == replies::to_all ? sent - length : (to_memory - 1);
	const double each = replies_a_packet(c);
	const double replied = each * (back + c.reply_length);
	return (sent + replied) / (1 + each);
}

} // namespace noc
