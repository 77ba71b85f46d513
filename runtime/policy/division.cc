// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/division.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace het::rt
{

namespace
{

// Groups have this size where neither the program nor the kernel says one.
constexpr size_t preferred_group = 256;
// If the shares are equal, each has so many of the smallest blocks: what is left at the end is a small part of all, and
// a block worth its launch.
constexpr size_t blocks_a_device = 64;
// Both are in seconds, for where speeds are known: a launch that one device does alone in less time is not worth
// sharing, and a block should last many times what it takes to begin and end one.
constexpr double short_launch = 4e-3, least_block = 2e-3;
// A launch that lasts as long is worth sharing, although its parts keep no device busy: at worst each goes at half its
// speed, which costs what it takes to share.
constexpr double long_launch = 2 * short_launch;
// OpenCL drivers may have 32 bits for an offset.
constexpr size_t most_items = UINT32_MAX;

constexpr char default_policy[] = "steal";

} // namespace

division divide(const work_grid &g)
{
	unsigned along = g.dimensions - 1;
	while (along && g.groups(along) == 1)
		along--;
	division d = {along, g.groups(along), nullptr};
	if (d.count < 2)
		d.why_not = "it has one group";
	else if (g.global[along] % g.local[along])
		d.why_not = "its size is not a multiple of its groups'";
	else if (g.global[along] > most_items || g.offset[along] > most_items - g.global[along])
		d.why_not = "it has more than 2^32 work-items in a row";
	return d;
}

size_t choose_group(size_t global, size_t most_everywhere)
{
	size_t most = std::min(most_everywhere, preferred_group), items = 1;
	while (items * 2 <= most && global % (items * 2) == 0)
		items *= 2;
	return items;
}

void choose_grains(const prospect &p, std::span<size_t> grains)
{
	const double all = std::accumulate(p.speeds.begin(), p.speeds.end(), 0.0);
	for (size_t i = 0; i < grains.size(); i++) {
		const double most = p.seconds > long_launch ? p.speeds[i] / all : 1;
		const size_t busy = std::min(p.busy_rows[i], size_t(double(p.rows) * most));
		grains[i] = std::max({size_t{1}, p.rows / (blocks_a_device * grains.size()), busy});
	}
}

chosen_policy choose_policy(const prospect &p, std::span<const size_t> grains)
{
	policy_maker make = find_policy(p.asked ? p.asked : default_policy);
	double fastest = *std::max_element(p.speeds.begin(), p.speeds.end());
	size_t smallest = *std::min_element(grains.begin(), grains.end());
	bool is_short = (p.known && double(p.rows) < fastest * short_launch) || p.rows < 2 * smallest;
	if (is_short && !p.asked)
		make = make_single_policy;
	if (p.has_twins && p.known && !p.asked && !is_worth_sharing(p.rows, p.speeds, p.twin_seconds))
		return {nullptr, "one device is quicker than several and the comparison of what they have written", 0};
	if (p.has_twins && make == make_single_policy)
		return {nullptr, "the policy gives it to one", 0};
	return {make, nullptr, p.known ? least_block : 0};
}

} // namespace het::rt
