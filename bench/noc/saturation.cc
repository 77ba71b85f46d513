// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/saturation.h"

#include <algorithm>

namespace noc
{

namespace
{

constexpr double precision = 0.01, latency_factor = 3, accepted_share = 0.95;

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
	const auto at = [&](double rate) {
		configuration now = with;
		now.traffic.rate = rate;
		const result r = simulate(now);
		peak = std::max(peak, r.accepted);
		return r;
	};
	const double top = std::min(most, 1.0); // a core sends a flit a cycle at most
	saturation s;
	s.by_latency = bisect(0, top, [&](double rate) {
		const result r = at(rate);
		return r.drained && r.latency.mean < limit;
	});
	s.by_accepted = bisect(s.by_latency / 2, top, [&](double rate) {
		const result r = at(rate);
		return r.accepted >= accepted_share * r.offered;
	});
	// The rates tried so far lie close to saturation and far above; the peak may lie between.
	for (double factor : {1.05, 1.1, 1.2, 1.35, 1.5})
		at(std::min(top, s.by_accepted * factor));
	s.peak_accepted = peak;
	return s;
}

} // namespace noc
