// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/footprints.h"

#include "common/format.h"
#include "micro/levels.h"

#include <cmath>

namespace micro
{

namespace
{

using bench::format;

void add(curve &to, context &c, const std::string &name, size_t footprint, const measured_footprint &measure)
{
	c.progress("footprint " + bench::amount_text(footprint));
	point p{double(footprint), {}};
	const figure f = measure(footprint, p);
	c.out.add(format("%s/%zu", name.c_str(), footprint), "ns", f);
	if (!f.there())
		return;
	const auto behind = std::find_if(to.begin(), to.end(), [&](const point &q) { return q.x > p.x; });
	to.insert(behind, std::move(p));
}

} // namespace

std::vector<size_t> footprints_of(const footprint_range &range)
{
	std::vector<size_t> all;
	for (unsigned i = 0;; i++) {
		const double f = double(range.least) * std::exp2(double(i) / range.an_octave);
		const size_t whole = size_t(std::lround(f / double(range.spacing))) * range.spacing;
		if (whole > range.most)
			return all;
		if (all.empty() || whole > all.back())
			all.push_back(whole);
	}
}

curve sweep_footprints(context &c, const std::string &name, const footprint_range &range,
		       const measured_footprint &measure)
{
	constexpr int steps = 4; // on each side of a knee
	curve found;
	for (size_t f : footprints_of(range))
		add(found, c, name, f, measure);
	const levels l = find_levels(found, c.seed, {.resamples = 0});
	for (const knee &k : l.knees) {
		for (int step = -steps; step <= steps && !k.disturbed; step++) {
			const auto f = size_t(k.size * std::exp2(step / 24.0)) / range.spacing * range.spacing;
			if (f >= range.least && f <= range.most &&
			    std::none_of(found.begin(), found.end(), [&](const point &p) { return p.x == double(f); }))
				add(found, c, name, f, measure);
		}
	}
	return found;
}

} // namespace micro
