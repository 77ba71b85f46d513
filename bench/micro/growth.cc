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

size_t place_of_most(const std::vector<double> &rates)
{
	constexpr double most = 0.9;
	const double enough = most * *std::max_element(rates.begin(), rates.end());
	return size_t(std::find_if(rates.begin(), rates.end(), [&](double r) { return r >= enough; }) - rates.begin());
}

using place_in = size_t (*)(const std::vector<double> &heights);

// Returns false, with the reason, where nothing can be said.
bool has_points(fact &f, const curve &c)
{
	constexpr size_t least_points = 4;
	if (c.size() < least_points) {
		f.why = "too few places have a figure";
		return false;
	}
	json points = json::array();
	for (const point &p : c)
		points.push_back(json{{"x", p.x}, {"samples", p.samples}});
	f.basis = {{"points", points}};
	return true;
}

// Takes the place, with the one before it as the lower end, and the share of resampled curves that have it there.
void take_place(fact &f, const curve &c, size_t at, uint64_t seed, place_in place)
{
	random_stream random(seed, 13);
	unsigned agree = 0;
	for (unsigned i = 0; i < resamples; i++)
		agree += place(drawn_heights(c, &random)) == at;
	f.confidence = std::min(0.99, double(agree) / resamples);
	f.value = f.high = c[at].x;
	f.low = at > 0 ? c[at - 1].x : c[at].x;
}

constexpr double least_confidence = 0.85; // of what counts as found

fact where_change_ends(const std::string &name, const curve &c, uint64_t seed, bool rises, place_in place)
{
	fact f{.name = name, .unit = "threads"};
	if (!has_points(f, c))
		return f;
	const std::vector<double> heights = drawn_heights(c, nullptr);
	const double change = rises ? heights.back() / heights.front() : heights.front() / heights.back();
	if (change < least_change) {
		f.is = verdict::not_there;
		f.why = bench::format("the time changes by a factor of %.2f only", change);
		return f;
	}
	const size_t at = place(heights);
	take_place(f, c, at, seed, place);
	// At the last place nobody knows what comes behind it.
	f.is = at + 1 < c.size() && f.confidence >= least_confidence ? verdict::found : verdict::not_found;
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

fact where_most_is_reached(const std::string &name, const curve &rates, uint64_t seed)
{
	fact f{.name = name, .unit = "threads"};
	if (!has_points(f, rates))
		return f;
	const size_t at = place_of_most(drawn_heights(rates, nullptr));
	take_place(f, rates, at, seed, place_of_most);
	f.is = f.confidence >= least_confidence ? verdict::found : verdict::not_found;
	f.why = at > 0 ? bench::format("%.0f have less than 0.9 of the highest rate, %.0f have more", f.low, f.value)
		       : bench::format("already %.0f have 0.9 of the highest rate", f.value);
	return f;
}

} // namespace micro
