// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/segments.h"

#include "common/format.h"

#include <algorithm>
#include <cmath>

namespace micro
{

namespace
{

using bench::format;

constexpr double alike = 1.06;    // times what near data take: data that take no longer are near
constexpr double least_gap = 0.5; // between near and far ones, as a share of the range of all
constexpr unsigned most_segments = 8;

// Returns the probability that @near of @n are near if one in @segments is.
double likelihood(unsigned near, unsigned n, unsigned segments)
{
	const double p = 1.0 / segments;
	return std::exp(near * std::log(p) + (n - near) * std::log1p(-p));
}

// How many segments there are follows from how many of all groups share ours.
void count_segments(fact &f, unsigned near, unsigned n)
{
	double sum = 0, most = 0;
	std::vector<double> of(most_segments + 1);
	for (unsigned m = 2; m <= most_segments; m++) {
		of[m] = likelihood(near, n, m);
		sum += of[m];
		if (of[m] > most) {
			most = of[m];
			f.value = m;
		}
	}
	f.confidence = std::min(0.99, most / sum);
	f.low = f.high = f.value;
	for (unsigned m = 2; m <= most_segments; m++) {
		if (of[m] < 0.05 * sum)
			continue;
		f.low = std::min(f.low, double(m));
		f.high = std::max(f.high, double(m));
	}
}

} // namespace

fact segments_fact(const std::string &name, const curve &c, double near_ns, double missed_ns)
{
	fact f{.name = name, .unit = "segments"};
	std::vector<double> times;
	json points = json::array();
	for (const point &p : c) {
		times.push_back(p.median());
		points.push_back(json{{"x", p.x}, {"samples", p.samples}});
	}
	f.basis = {{"points", points}};
	if (times.empty()) {
		f.why = "no group has a figure";
		return f;
	}
	std::sort(times.begin(), times.end());
	if (times.front() > std::sqrt(near_ns * missed_ns)) {
		f.why = "what other units have brought is not there: the cache is not shared, or the data were lost";
		return f;
	}
	// What the own unit has brought is among them, and is near. The curve may not show by itself what that takes.
	const bool own_is_near = times.front() < alike * near_ns;
	f.is = verdict::found;
	if (own_is_near && times.back() < alike * times.front()) {
		f.value = f.low = f.high = 1;
		f.confidence = 0.95;
		f.why = format("what any of %zu units has brought takes no longer than what the own one has",
			       times.size());
		return f;
	}
	size_t at = 0; // of the largest gap
	for (size_t i = 0; i + 1 < times.size(); i++)
		if (times[i + 1] - times[i] > times[at + 1] - times[at])
			at = i;
	const double gap = times[at + 1] - times[at], range = times.back() - times.front();
	if (gap < least_gap * range || !own_is_near) {
		f.is = verdict::disturbed;
		f.why = format(
			"what other units have brought takes from %.4g to %.4g ns, and there are no two kinds of it",
			times.front(), times.back());
		return f;
	}
	const auto near = unsigned(at + 1), n = unsigned(times.size());
	count_segments(f, near, n);
	const auto middle = [&](size_t first, size_t end) { return times[(first + end) / 2]; };
	f.why = format("what %u of %u units have brought takes %.4g ns, what the others have %.4g", near, n,
		       middle(0, near), middle(near, n));
	return f;
}

} // namespace micro
