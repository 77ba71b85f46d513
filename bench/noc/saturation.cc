// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/saturation.h"

#include <algorithm>

namespace noc
{

namespace
{

constexpr double precision = 0.01, latency_factor = 3, accepted_share = 0.95, beyond_saturation = 1.15;

// Returns the highest rate in [low, high] that @fine holds for, if it holds below some rate and not above.
template <typename F> double bisect(double low, double high, F &&fine)
{
	while (high - low > precision * high) {
		const double middle = (low + high) / 2;
		(fine(middle) ? low : high) = middle;
	}
	return low;
}

} // namespace

saturation find_saturation(const configuration &c)
{
	const double most = highest_rate(c.traffic);
	const double limit = latency_factor * zero_load_latency(c);
	double peak = 0;
	configuration with = c;
	if (c.policy == "ideal" && !c.split)
		with.split = std::make_shared<ceiling>(ceiling_of(c));
	const auto at = [&](double rate, unsigned drain) {
		configuration now = with;
		now.traffic.rate = rate;
		now.drain = drain;
		const result r = simulate(now);
		peak = std::max(peak, r.accepted);
		return r;
	};
	// What is accepted is known when the measured cycles are over.
	const auto accepts = [&](double rate) {
		const result r = at(rate, 0);
		return r.accepted >= accepted_share * r.offered;
	};
	saturation s;
	// Bisection goes up from each rate that is fast: the last of them is the highest.
	const auto is_fast = [&](double rate) {
		const result r = at(rate, c.drain);
		if (!r.drained || r.latency.mean >= limit)
			return false;
		s.p99 = double(r.p99);
		s.slowest_flow = r.slowest_flow;
		return true;
	};
	const double top = std::min(most, 1.0); // a core sends a flit a cycle at most
	s.by_accepted = bisect(0, top, accepts);
	// Where traffic is not accepted queues grow, and only a short run ends before its latency shows it.
	const double beyond = std::min(top, beyond_saturation * s.by_accepted);
	s.by_latency = beyond < top && is_fast(beyond) ? bisect(beyond, top, is_fast) : bisect(0, beyond, is_fast);
	// The rates tried so far lie close to saturation and far above; the peak may lie between.
	for (double factor : {1.05, 1.1, 1.2, 1.35, 1.5})
		at(std::min(top, s.by_accepted * factor), 0);
	s.peak_accepted = peak;
	return s;
}

} // namespace noc
