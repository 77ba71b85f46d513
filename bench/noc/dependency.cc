// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/dependency.h"

#include <algorithm>

namespace noc
{

namespace
{

// Channels are the output ports of routers, and the terminals' own channels into the network; each stands once for a VC
// class.
class dependency_graph
{
      public:
	dependency_graph(const topology &t, const route_table &routes, const protocol &p)
	    : t_(t), routes_(routes), protocol_(p), first_(t.routers.size() + 1)
	{
		for (size_t r = 0; r < t.routers.size(); r++)
			first_[r + 1] = first_[r] + t.routers[r].ports;
		channels_ = first_.back() + t.terminals.size();
		next_router_.assign(first_.back(), -1);
		for (const link &l : t.links)
			next_router_[first_[l.from] + l.from_port] = l.to;
		edges_.resize(channels_ * p.message_classes * routes.classes);
		for (unsigned m = 0; m < p.message_classes; m++)
			for (unsigned route = 0; route < routes.routes; route++)
				for (size_t s = 0; s < t.terminals.size(); s++)
					for (size_t d = 0; d < t.terminals.size(); d++)
						walk(m, route, s, d);
	}

	std::vector<std::string> cycle() const
	{
		std::vector<uint8_t> seen(edges_.size());
		std::vector<size_t> path;
		for (size_t n = 0; n < edges_.size(); n++)
			if (seen[n] == 0 && search(n, seen, path))
				return names(path);
		return {};
	}

      private:
	size_t node(size_t channel, unsigned message, unsigned vc_class) const
	{
		return (channel * protocol_.message_classes + message) * routes_.classes + vc_class;
	}
	// Where classes of routes share VCs, the first one stands for all.
	size_t from_terminal(size_t terminal, unsigned message, unsigned route) const
	{
		return node(first_.back() + terminal, message, routes_.shared.empty() ? routes_.class_of(route) : 0);
	}
	size_t behind(size_t router, unsigned output, unsigned message, unsigned route) const
	{
		return node(first_[router] + output, message,
			    routes_.is_shared(unsigned(router), output) ? 0 : routes_.class_of(route));
	}

	void add(size_t from, size_t to)
	{
		std::vector<size_t> &e = edges_[from];
		if (std::find(e.begin(), e.end(), to) == e.end())
			e.push_back(to);
	}

	void walk(unsigned message, unsigned route, size_t source, size_t destination)
	{
		size_t at = t_.terminals[source].router;
		size_t held = from_terminal(source, message, route);
		// No way is longer than to see every router once; a table that leads in circles ends here.
		for (size_t hops = 0; hops <= t_.routers.size(); hops++) {
			const uint8_t port = routes_.port(route, unsigned(at), unsigned(destination));
			if (port == route_table::none)
				return;
			const size_t wanted = behind(at, port, message, route);
			add(held, wanted);
			held = wanted;
			if (next_router_[first_[at] + port] < 0)
				break;
			at = size_t(next_router_[first_[at] + port]);
		}
		const bool is_reply = message + 1 == protocol_.message_classes && message > 0;
		if (protocol_.replies && !is_reply)
			for (unsigned back = 0; back < routes_.routes; back++)
				add(held, from_terminal(destination, protocol_.message_classes - 1, back));
	}

	// It goes depth first; @path holds what is open, and the cycle if there is one.
	bool search(size_t n, std::vector<uint8_t> &seen, std::vector<size_t> &path) const
	{
		enum : uint8_t { fresh, open, closed };
		seen[n] = open;
		path.push_back(n);
		for (size_t to : edges_[n]) {
			if (seen[to] == open) {
				path.erase(path.begin(), std::find(path.begin(), path.end(), to));
				return true;
			}
			if (seen[to] == fresh && search(to, seen, path))
				return true;
		}
		seen[n] = closed;
		path.pop_back();
		return false;
	}

	std::vector<std::string> names(const std::vector<size_t> &path) const
	{
		const size_t classes = protocol_.message_classes * routes_.classes;
		std::vector<std::string> named;
		for (size_t n : path) {
			const size_t channel = n / classes;
			std::string what;
			if (channel >= first_.back()) {
				what = "terminal " + std::to_string(channel - first_.back());
			} else {
				const auto above = std::upper_bound(first_.begin(), first_.end(), channel);
				what = "router " + std::to_string(above - first_.begin() - 1) + " port " +
				       std::to_string(channel - *(above - 1));
			}
			named.push_back(what + ", VC class " + std::to_string(n % classes));
		}
		return named;
	}

	const topology &t_;
	const route_table &routes_;
	const protocol protocol_;
	std::vector<size_t> first_; // channel of each router's port 0
	size_t channels_ = 0;
	std::vector<int> next_router_;
	std::vector<std::vector<size_t>> edges_;
};

} // namespace

std::vector<std::string> dependency_cycle(const topology &t, const route_table &routes, const protocol &p)
{
	return dependency_graph(t, routes, p).cycle();
}

} // namespace noc
