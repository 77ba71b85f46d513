// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/unseen.h"

#include <algorithm>
#include <cmath>

namespace het::rt
{

namespace
{

// Profiles of one device differ by less.
constexpr double clearly = 1.1;

// Returns how long a launch takes that waits for memory alone, but for what launches cost by themselves.
double memory_seconds(const newcomer &d)
{
	return d.missing / d.transfer + d.used / d.rates.memory;
}

// Where it is not known what a launch costs on @a, it is no less than on @b.
bool is_better(const newcomer &a, const newcomer &b)
{
	const double launch = a.rates.launch > 0 ? a.rates.launch : b.rates.launch;
	const double sooner = (b.rates.launch + memory_seconds(b)) / (launch + memory_seconds(a)),
		     more = a.rates.arithmetic / b.rates.arithmetic;
	return std::min(sooner, more) >= 1 && std::max(sooner, more) > clearly;
}

} // namespace

size_t choose_unseen(std::span<const newcomer> devices)
{
	size_t best = 0;
	for (size_t i = 1; i < devices.size() && devices[0].rates.known(); i++)
		if (devices[i].rates.known() && is_better(devices[i], devices[best]))
			best = i;
	return best;
}

// What is bounded bounds no others.
void bound_unseen(std::span<candidate> candidates, std::span<const kernel_rates> rates)
{
	const auto bound_of = [&](size_t i) {
		double least = 0;
		for (size_t k = 0; k < candidates.size(); k++) {
			const candidate &known = candidates[k];
			if (!(known.speed > 0) || known.is_bound || !rates[k].known())
				continue;
			const double bound = known.speed * std::max(rates[i].memory / rates[k].memory,
								    rates[i].arithmetic / rates[k].arithmetic);
			least = least > 0 ? std::min(least, bound) : bound;
		}
		return least;
	};
	for (size_t i = 0; i < candidates.size(); i++) {
		candidate &c = candidates[i];
		const double bound = c.speed > 0 || !rates[i].known() ? 0 : bound_of(i);
		if (!(bound > 0))
			continue;
		c.speed = bound;
		c.is_bound = true;
		c.is_sure = false;
	}
}

// Where a kernel that waits for memory and one that waits for arithmetic had other shares, the mean errs least. What
// launches cost counts if it is known of all.
bool guess_shares(std::span<const newcomer> devices, std::span<double> speeds)
{
	const bool has_launches = std::ranges::all_of(devices, [](const newcomer &d) { return d.rates.launch > 0; });
	const auto seconds = [&](const newcomer &d) { return memory_seconds(d) + (has_launches ? d.rates.launch : 0); };
	if (!std::ranges::all_of(devices, [&](const newcomer &d) { return d.rates.known() && seconds(d) > 0; }))
		return false;
	for (size_t i = 0; i < devices.size(); i++)
		speeds[i] = std::sqrt(devices[i].rates.arithmetic / seconds(devices[i]));
	return true;
}

} // namespace het::rt
