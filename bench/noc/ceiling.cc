// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/ceiling.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace noc
{

namespace
{

// It minimises the sum of exp(sharpness * load) over all channels, flow by flow, with a sharpness that grows: then the
// fullest channels decide. Any weights of the channels give a bound: the load that is weighted so, each flow on its
// lightest route, is no more than that of the fullest channel.
class descent
{
      public:
	descent(const topology &t, const route_table &routes, const std::vector<flow> &flows)
	    : t_(t), routes_(routes), flows_(flows), first_(t.routers.size() + 1)
	{
		for (size_t r = 0; r < t.routers.size(); r++)
			first_[r + 1] = first_[r] + t.routers[r].ports;
		next_.assign(first_.back(), -1);
		capacity_.assign(first_.back() + t.terminals.size(), 1);
		for (const link &l : t.links)
			next_[first_[l.from] + l.from_port] = l.to;
		for (const terminal &at : t.terminals)
			capacity_[first_[at.router] + at.port] = at.ejections;
		load_.resize(capacity_.size());
		weight_.resize(capacity_.size());
		stamp_.resize(capacity_.size());
		for (const flow &f : flows)
			begin(f);
	}

	ceiling solve(double gap)
	{
		ceiling best = result();
		for (double sharpness : {16.0, 64.0, 256.0, 1024.0, 4096.0})
			for (unsigned sweep = 0; sweep < sweeps; sweep++) {
				descend(sharpness);
				bound_ = std::max(bound_, least_load());
				if (1 / fullest() > best.rate)
					best = result();
				best.bound = 1 / bound_;
				if (best.bound < best.rate * (1 + gap))
					return best;
			}
		return best;
	}

      private:
	static constexpr unsigned sweeps = 40, halvings = 14;

	struct path {
		std::vector<uint32_t> channels;
		double share = 0;
	};
	struct routed {
		double demand = 0;
		std::vector<path> paths;
		std::vector<uint8_t> route; // of each path
	};

	void begin(const flow &f)
	{
		routed r;
		r.demand = f.demand;
		for (unsigned route = 0; route < routes_.routes; route++) {
			if (f.free ? !routes_.is_taken(route, f.source, f.destination) : route != f.route)
				continue;
			r.route.push_back(uint8_t(route));
			r.paths.push_back({way(f, route), 0});
		}
		for (path &p : r.paths) {
			p.share = 1.0 / double(r.paths.size());
			for (uint32_t c : p.channels)
				load_[c] += p.share * r.demand / capacity_[c];
		}
		routed_.push_back(std::move(r));
	}

	std::vector<uint32_t> way(const flow &f, unsigned route) const
	{
		std::vector<uint32_t> channels = {first_.back() + f.source};
		unsigned at = t_.terminals[f.source].router;
		for (size_t hops = 0; hops <= t_.routers.size(); hops++) {
			const uint8_t port = routes_.port(route, at, f.destination);
			if (port == route_table::none)
				break;
			channels.push_back(first_[at] + port);
			if (next_[channels.back()] < 0)
				return channels;
			at = unsigned(next_[channels.back()]);
		}
		throw std::invalid_argument("a flow has a route that does not end");
	}

	double fullest() const { return *std::max_element(load_.begin(), load_.end()); }

	void descend(double sharpness)
	{
		sharpness_ = sharpness / fullest();
		top_ = fullest();
		for (size_t c = 0; c < load_.size(); c++)
			weigh(c);
		for (routed &r : routed_)
			if (r.paths.size() > 1)
				improve(r);
	}

	double weight_at(double load, size_t c) const { return std::exp(sharpness_ * (load - top_)) / capacity_[c]; }
	void weigh(size_t c) { weight_[c] = weight_at(load_[c], c); }

	double cost(const path &p) const
	{
		double sum = 0;
		for (uint32_t c : p.channels)
			sum += weight_[c];
		return sum;
	}

	// Moves what pays from the heaviest path that is used to the lightest one.
	void improve(routed &r)
	{
		path *from = nullptr, *to = &r.paths[0];
		double most = 0, least = cost(*to);
		for (path &p : r.paths) {
			const double c = cost(p);
			if (p.share > 0 && (!from || c > most)) {
				from = &p;
				most = c;
			}
			if (c < least) {
				to = &p;
				least = c;
			}
		}
		if (from == to || most <= least)
			return;
		leaving_.clear();
		entering_.clear();
		exclusive(*from, *to, leaving_);
		exclusive(*to, *from, entering_);
		double low = 0, high = from->share;
		if (slope(r.demand, high) > 0)
			for (unsigned i = 0; i < halvings; i++) {
				const double middle = (low + high) / 2;
				(slope(r.demand, middle) > 0 ? high : low) = middle;
			}
		else
			low = high;
		move(r.demand, low);
		from->share -= low;
		to->share += low;
	}

	// Adds the channels of @a that @b lacks.
	void exclusive(const path &a, const path &b, std::vector<uint32_t> &out)
	{
		mark_++;
		for (uint32_t c : b.channels)
			stamp_[c] = mark_;
		for (uint32_t c : a.channels)
			if (stamp_[c] != mark_)
				out.push_back(c);
	}

	// Returns the slope of the sum, once @share has moved.
	double slope(double demand, double share) const
	{
		double sum = 0;
		for (uint32_t c : entering_)
			sum += weight_at(load_[c] + share * demand / capacity_[c], c);
		for (uint32_t c : leaving_)
			sum -= weight_at(load_[c] - share * demand / capacity_[c], c);
		return sum;
	}

	void move(double demand, double share)
	{
		for (uint32_t c : entering_) {
			load_[c] += share * demand / capacity_[c];
			weigh(c);
		}
		for (uint32_t c : leaving_) {
			load_[c] -= share * demand / capacity_[c];
			weigh(c);
		}
	}

	// Returns the bound on the load of the fullest channel.
	double least_load() const
	{
		double sum = 0, all = 0;
		for (const routed &r : routed_) {
			double least = cost(r.paths[0]);
			for (const path &p : r.paths)
				least = std::min(least, cost(p));
			sum += r.demand * least;
		}
		for (size_t c = 0; c < weight_.size(); c++)
			all += weight_[c] * capacity_[c];
		return sum / all;
	}

	ceiling result() const
	{
		ceiling found;
		found.rate = 1 / fullest();
		found.routes = routes_.routes;
		found.terminals = unsigned(t_.terminals.size());
		found.shares.resize(size_t(found.terminals) * found.terminals * found.routes);
		for (size_t i = 0; i < routed_.size(); i++) {
			if (!flows_[i].free)
				continue;
			const size_t at =
				(size_t(flows_[i].source) * found.terminals + flows_[i].destination) * found.routes;
			for (size_t k = 0; k < routed_[i].paths.size(); k++)
				found.shares[at + routed_[i].route[k]] = float(routed_[i].paths[k].share);
		}
		return found;
	}

	const topology &t_;
	const route_table &routes_;
	const std::vector<flow> &flows_;
	std::vector<uint32_t> first_; // channel of each router's port 0; the terminals' follow
	std::vector<int> next_;
	std::vector<double> capacity_, load_, weight_; // of channels
	std::vector<uint64_t> stamp_;
	uint64_t mark_ = 0;
	std::vector<routed> routed_;
	std::vector<uint32_t> leaving_, entering_;
	double sharpness_ = 0, top_ = 0, bound_ = 0;
};

} // namespace

ceiling find_ceiling(const topology &t, const route_table &routes, const std::vector<flow> &flows, double gap)
{
	return descent(t, routes, flows).solve(gap);
}

} // namespace noc
