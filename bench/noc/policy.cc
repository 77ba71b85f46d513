// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/policy.h"

#include <algorithm>
#include <stdexcept>

namespace noc
{

namespace
{

struct named_policy {
	const char *name;
	std::unique_ptr<policy> (*make)(const policy_options &, const surroundings &);
};

constexpr named_policy all[] = {
	{"dor", make_dor},       {"localbuf", make_localbuf}, {"destdetect", make_destdetect}, {"dll", make_dll},
	{"random", make_random}, {"adaptive", make_adaptive}, {"ideal", make_ideal},
};

} // namespace

floor_plan floor_plan_of(const topology &t)
{
	floor_plan plan;
	for (const router &r : t.routers)
		plan.cores += r.layer == 0;
	plan.grids = unsigned(t.routers.size()) - plan.cores;
	plan.cores_of.resize(plan.grids);
	plan.grids_a_row = t.routers.back().x + 1u;
	for (unsigned g = 0; g < plan.grids; g++)
		plan.router_of_grid.push_back(uint16_t(plan.cores + g));
	std::vector<unsigned> below(t.routers.size());
	for (const link &l : t.links)
		if (t.routers[l.from].layer == 0 && t.routers[l.to].layer == 1)
			below[l.from] = l.to;
	for (size_t n = 0; n < t.terminals.size(); n++) {
		const terminal &at = t.terminals[n];
		const unsigned grid = (at.memory ? at.router : below[at.router]) - plan.cores;
		plan.grid_of.push_back(uint8_t(grid));
		if (at.memory)
			continue;
		plan.router_of_core.push_back(at.router);
		plan.cores_of[grid].push_back(uint16_t(n));
	}
	return plan;
}

std::unique_ptr<policy> make_policy(const std::string &name, const policy_options &o, const surroundings &s)
{
	for (const named_policy &p : all)
		if (name == p.name)
			return p.make(o, s);
	throw std::invalid_argument("no policy is called " + name);
}

std::vector<std::string> policy_names()
{
	std::vector<std::string> names;
	for (const named_policy &p : all)
		names.emplace_back(p.name);
	return names;
}

} // namespace noc
