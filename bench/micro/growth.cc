// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/growth.h"

#include "common/format.h"
#include "micro/random.h"

#include <algorithm>

namespace micro
{

namespace
{

constexpr double least_change = 1.3; // of the whole curve
constexpr double alike = 0.15;       // of it, within which heights count as equal
constexpr unsigned resamples = 200;

// Returns the first place from which on all heights are as the last one is.
size_t place_of_end(const std::vector<double> &heights)
{
	const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
	size_t at = heights.size() - 1;
	while (at > 0 && std::abs(heights[at - 1] - heights.back()) < alike * (*most - *least))
		at--;
	return at;
}

std::vector<double> drawn_heights(const curve &c, random_stream *random)
{
	std::vector<double> heights;
	for (const point &p : c) {
		bench::series drawn = p.samples;
		for (double &d : drawn)
			d = random ? p.samples[random->below(uint32_t(p.samples.size()))] : d;
		heights.push_back(bench::median(drawn));
	}
	return heights;
}

// Returns the last place that is clearly higher than half its distance is.
size_t end_of_doubling(const std::vector<double> &heights)
{
	constexpr double most_of_doubling = 1.5;
	size_t at = heights.size() - 1;
	while (at > 0 && heights[at] < most_of_doubling * heights[at - 1])
		at--;
	return at;
}

using place_in = size_t (*)(const std::vector<double> &heights);

fact where_change_ends(const std::string &name, const curve &c, uint64_t seed, bool rises, place_in place)
{
	fact f{.name = name, .unit = "threads"};
	constexpr size_t least_points = 4;
	if (c.size() < least_points) {
		f.why = "too few places have a figure";
		return f;
	}
	json points = json::array();
	for (const point &p : c)
		points.push_back(json{{"x", p.x}, {"samples", p.samples}});
	f.basis = {{"points", points}};
	const std::vector<double> heights = drawn_heights(c, nullptr);
	const double change = rises ? heights.back() / heights.front() : heights.front() / heights.back();
	if (change < least_change) {
		f.is = verdict::not_there;
		f.why = bench::format("the time changes by a factor of %.2f only", change);
		return f;
	}
	const size_t at = place(heights);
	random_stream random(seed, 13);
	unsigned agree = 0;
	for (unsigned i = 0; i < resamples; i++)
		agree += place(drawn_heights(c, &random)) == at;
	f.confidence = std::min(0.99, double(agree) / resamples);
	f.value = f.high = c[at].x;
	f.low = at > 0 ? c[at - 1].x : c[at].x;
	// At the last place nobody knows what comes behind it.
	f.is = at + 1 < c.size() && f.confidence >= 0.85 ? verdict::found : verdict::not_found;
	f.why = bench::format("from %.0f on the time stays as it is", c[at].x);
	return f;
}

} // namespace

fact where_growth_ends(const std::string &name, const curve &c, uint64_t seed)
{
	return where_change_ends(name, c, seed, true, place_of_end);
}

fact where_doubling_ends(const std::string &name, const curve &c, uint64_t seed)
{
	return where_change_ends(name, c, seed, true, end_of_doubling);
}

fact where_fall_ends(const std::string &name, const curve &c, uint64_t seed)
{
	return where_change_ends(name, c, seed, false, place_of_end);
}

} // namespace micro
