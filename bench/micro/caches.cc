// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/caches.h"

#include "common/format.h"
#include "micro/random.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace micro
{

namespace
{

using bench::format;

constexpr double least_confidence = 0.85; // of what counts as found
constexpr double some_find = 0.85;        // of what a load takes that finds nothing: below it some of many find theirs

json points_of(const curve &c, double from, double to)
{
	json all = json::array();
	for (const point &p : c)
		if (p.x >= from && p.x <= to)
			all.push_back(json{{"x", p.x}, {"samples", p.samples}});
	return all;
}

void decide(fact &f, const knee &k)
{
	if (k.falls) {
		f.is = verdict::disturbed;
		f.why = "near it smaller footprints took clearly longer than larger ones: other work uses this cache";
	} else if (k.disturbed) {
		f.is = verdict::disturbed;
		f.why = format("at one footprint the times scatter by %.0f %%: other work uses this cache, or the "
			       "machine is busy",
			       100 * k.spread);
	} else if (k.confidence < least_confidence) {
		f.is = verdict::not_found;
		f.why = format("latency rises near %s, but that is where with a probability of %.2f only",
			       bench::amount_text(uint64_t(k.size)).c_str(), k.confidence);
	} else {
		f.is = verdict::found;
		f.why = (k.sharp ? "misses begin there all at once: " : "knee of latency: ") + k.model + " fits best";
	}
}

fact size_fact(const std::string &name, const curve &c, const levels &l, size_t i)
{
	const knee &k = l.knees[i];
	fact f{.name = name, .unit = "bytes"};
	f.value = k.size;
	f.low = k.low;
	f.high = k.high;
	f.confidence = k.confidence;
	decide(f, k);
	json others = json::array();
	for (const alternative &a : k.others)
		others.push_back(json{{"model", a.model}, {"size", a.size}, {"badness", a.badness}});
	f.basis = {{"points", points_of(c, k.size / 4, k.size * 4)},
		   {"fit", {{"model", k.model}, {"size", k.size}, {"misfit", k.misfit}, {"rise", k.rise}}},
		   {"alternatives", others}};
	return f;
}

fact latency_fact(const std::string &name, const curve &c, const level &l)
{
	fact f{.name = name, .unit = "ns", .is = verdict::found};
	f.value = l.height.median;
	f.low = l.height.low;
	f.high = l.height.high;
	f.confidence = l.height.confidence;
	if (!l.flat) {
		f.why = "no footprint shows this level alone: the fit of the knees beside it says so";
		return f;
	}
	const double from = c[l.first].x, to = c[l.last].x;
	f.why = "median of footprints from " + bench::amount_text(uint64_t(from)) + " to " +
		bench::amount_text(uint64_t(to));
	f.basis = {{"points", points_of(c, from, to)}};
	return f;
}

fact nothing(const std::string &name, verdict is, const std::string &why)
{
	fact f{.name = name, .unit = name.ends_with("latency") ? "ns" : "bytes", .is = is};
	f.why = why;
	return f;
}

constexpr unsigned resamples = 200;

std::vector<double> heights_of(const curve &c)
{
	std::vector<double> heights;
	for (const point &p : c)
		heights.push_back(p.median());
	return heights;
}

// Returns the share of resampled curves for which @place is the same as @at.
double agreement(const curve &c, size_t at, uint64_t seed,
		 const std::function<size_t(const std::vector<double> &)> &place)
{
	random_stream random(seed, 12);
	unsigned agree = 0;
	std::vector<double> heights(c.size());
	for (unsigned i = 0; i < resamples; i++) {
		for (size_t k = 0; k < c.size(); k++) {
			std::vector<double> drawn(c[k].samples);
			for (double &d : drawn)
				d = c[k].samples[random.below(uint32_t(c[k].samples.size()))];
			heights[k] = bench::median(drawn);
		}
		agree += place(heights) == at;
	}
	return std::min(0.99, double(agree) / resamples);
}

// Returns the first place from which on all are clearly higher than a limit, if all before it are clearly lower. The
// first of them may lie between @least and that, if it is clearly higher than all before.
size_t step_of(const std::vector<double> &heights, double least, double limit)
{
	constexpr double clearly = 1.06, apart = 1.15;
	size_t at = heights.size();
	while (at > 0 && heights[at - 1] > clearly * limit)
		at--;
	if (at > 1 && at < heights.size() && heights[at - 1] > least) {
		const double before = *std::max_element(heights.begin(), heights.begin() + ptrdiff_t(at) - 1);
		at -= heights[at - 1] > apart * before;
	}
	const bool is_step = std::all_of(heights.begin(), heights.begin() + ptrdiff_t(at),
					 [&](double h) { return h < limit / clearly; });
	return is_step ? at : heights.size();
}

// Returns the place before the fall to less than half of what the highest is above @hit_ns, if there is one clear fall.
size_t fall_of(const std::vector<double> &heights, double hit_ns)
{
	const double rise = *std::max_element(heights.begin(), heights.end()) - hit_ns;
	constexpr double least_rise = 0.1, missing = 0.6, fitting = 0.45;
	size_t after = heights.size();
	while (after > 0 && heights[after - 1] < hit_ns + fitting * rise)
		after--;
	const bool is_fall = after > 0 && rise > least_rise * hit_ns && heights[after - 1] > hit_ns + missing * rise;
	return is_fall ? after - 1 : heights.size();
}

} // namespace

std::vector<fact> cache_facts(const curve &c, const levels &l, const std::vector<owner> &owners,
			      const std::string &prefix)
{
	std::vector<fact> all;
	if (l.heights.empty()) {
		all.push_back(nothing(prefix + "l1.size", verdict::not_found, "too few footprints have a latency"));
		return all;
	}
	unsigned caches = 0, tlbs = 0;
	for (size_t i = 0; i < l.knees.size(); i++) {
		if (owners[i] == owner::far_segments)
			continue;
		if (owners[i] == owner::tlb) {
			all.push_back(size_fact(prefix + format("tlb%u.reach", ++tlbs), c, l, i));
			continue;
		}
		const std::string level = prefix + format("l%u", ++caches);
		all.push_back(latency_fact(level + ".latency", c, l.heights[i]));
		all.push_back(size_fact(level + ".size", c, l, i));
	}
	if (caches == 0)
		all.push_back(nothing(prefix + "l1.size", verdict::not_there, "all footprints have one latency"));
	return all;
}

fact last_fact(const std::string &name, const curve &c, const levels &l)
{
	if (l.heights.empty() || !l.heights.back().flat)
		return nothing(name, verdict::not_found, "latency still rises at the largest footprint");
	return latency_fact(name, c, l.heights.back());
}

fact memory_fact(const curve &c, const levels &l, const point &cold)
{
	constexpr double alike = 0.97; // of what the largest footprint took, some of whose loads caches served
	const std::string name = "memory.latency";
	if (!l.heights.empty() && l.heights.back().flat)
		return latency_fact(name, c, l.heights.back());
	if (l.heights.empty() || cold.samples.empty())
		return nothing(name, verdict::not_found, "latency still rises at the largest footprint");
	if (cold.median() < alike * c.back().median())
		return nothing(
			name, verdict::disturbed,
			"latency still rises at the largest footprint, and loads that no cache can serve took less");
	fact f{.name = name, .unit = "ns", .is = verdict::found};
	const bench::ratio at = bench::median_interval(cold.samples);
	f.value = at.median;
	f.low = at.low;
	f.high = at.high;
	f.confidence = at.confidence;
	f.why = "loads of places that were not visited since other memory had filled the caches: the largest footprint "
		"still finds some of its places there";
	f.basis = {{"points", points_of({cold}, cold.x, cold.x)}};
	return f;
}

fact fetch_fact(const std::string &name, const curve &c, double surely_ns, double between_ns, uint64_t seed)
{
	fact f{.name = name, .unit = "bytes"};
	if (c.empty()) {
		f.why = "no distance has a figure";
		return f;
	}
	const auto place = [&](const std::vector<double> &heights) { return step_of(heights, surely_ns, between_ns); };
	const size_t at = place(heights_of(c));
	f.basis = {{"points", points_of(c, 0, c.back().x)}};
	if (at == c.size() || at == 0) {
		f.why = "the second load of a pair does not get slower at one distance";
		return f;
	}
	f.confidence = agreement(c, at, seed, place);
	f.value = f.high = c[at].x;
	f.low = c[at - 1].x;
	f.is = f.confidence >= least_confidence ? verdict::found : verdict::not_found;
	f.why = format("a load %.0f bytes behind another finds what that has brought, one %.0f behind does not", f.low,
		       f.high);
	if (at + 1 < c.size() && c[at].median() < some_find * c[at + 1].median()) {
		f.high = c[at + 1].x;
		f.why = format(
			"a load %.0f bytes behind another finds what that has brought, one %.0f behind does so at "
			"times: some misses bring more",
			f.low, f.value);
	}
	return f;
}

fact line_fact(const std::string &name, const curve &c, double hit_ns, uint64_t seed)
{
	fact f{.name = name, .unit = "bytes"};
	if (c.empty()) {
		f.why = "no distance has a figure";
		return f;
	}
	const auto place = [&](const std::vector<double> &heights) { return fall_of(heights, hit_ns); };
	const size_t at = place(heights_of(c));
	f.basis = {{"points", points_of(c, 0, c.back().x)}};
	if (at + 1 >= c.size()) {
		f.why = "loads that are farther apart do not find more room in the cache from one distance on";
		return f;
	}
	f.confidence = agreement(c, at, seed, place);
	f.value = f.low = f.high = c[at].x;
	f.high = c[at + 1].x;
	f.is = f.confidence >= least_confidence ? verdict::found : verdict::not_found;
	f.why = format("one load in %.0f bytes takes all of the room, one in %.0f does not", f.low, f.high);
	return f;
}

} // namespace micro
