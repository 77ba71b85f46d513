// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/caches.h"

#include "common/format.h"
#include "micro/random.h"

#include <algorithm>
#include <cmath>

namespace micro
{

namespace
{

using bench::format;

constexpr double least_confidence = 0.85; // of what counts as found

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
		f.why = "knee of latency: " + k.model + " fits best";
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

// Returns the place of the step if the curve has one: what is before it is low, what is behind it high.
size_t step_of(const std::vector<double> &heights)
{
	const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
	constexpr double least_step = 1.15;
	if (*most < least_step * *least)
		return heights.size();
	const double middle = (*least + *most) / 2, near = (*most - *least) * 0.3;
	const auto at = std::find_if(heights.begin(), heights.end(), [&](double h) { return h > middle; });
	for (auto it = heights.begin(); it != heights.end(); ++it)
		if (std::abs(*it - (it < at ? *least : *most)) > near)
			return heights.size();
	return size_t(at - heights.begin());
}

} // namespace

std::vector<fact> cache_facts(const curve &c, const levels &l, const std::vector<bool> &is_tlb)
{
	std::vector<fact> all;
	if (l.heights.empty()) {
		all.push_back(nothing("l1.size", verdict::not_found, "too few footprints have a latency"));
		return all;
	}
	unsigned caches = 0, tlbs = 0;
	for (size_t i = 0; i < l.knees.size(); i++) {
		if (is_tlb[i]) {
			all.push_back(size_fact(format("tlb%u.reach", ++tlbs), c, l, i));
			continue;
		}
		const std::string level = format("l%u", ++caches);
		all.push_back(latency_fact(level + ".latency", c, l.heights[i]));
		all.push_back(size_fact(level + ".size", c, l, i));
	}
	const level &last = l.heights.back();
	if (last.flat)
		all.push_back(latency_fact("memory.latency", c, last));
	else
		all.push_back(
			nothing("memory.latency", verdict::not_found, "latency still rises at the largest footprint"));
	if (caches == 0)
		all.push_back(nothing("l1.size", verdict::not_there, "all footprints have one latency"));
	return all;
}

fact line_fact(const std::string &name, const curve &c, double missed_ns, uint64_t seed)
{
	fact f{.name = name, .unit = "bytes"};
	if (c.empty()) {
		f.why = "no distance has a figure";
		return f;
	}
	std::vector<double> heights;
	for (const point &p : c)
		heights.push_back(p.median());
	const size_t at = step_of(heights);
	f.basis = {{"points", points_of(c, 0, c.back().x)}};
	if (at == heights.size() || at == 0) {
		f.why = "the second load of a pair does not get slower at one distance";
		return f;
	}
	if (missed_ns > 0 && heights.back() < 0.85 * missed_ns) {
		f.why = "pairs of loads do not miss the cache, as it has room for all that they need";
		return f;
	}
	constexpr unsigned resamples = 200;
	random_stream random(seed, 12);
	unsigned agree = 0;
	for (unsigned i = 0; i < resamples; i++) {
		for (size_t k = 0; k < c.size(); k++) {
			std::vector<double> drawn(c[k].samples);
			for (double &d : drawn)
				d = c[k].samples[random.below(uint32_t(c[k].samples.size()))];
			heights[k] = bench::median(drawn);
		}
		agree += step_of(heights) == at;
	}
	f.confidence = std::min(0.99, double(agree) / resamples);
	f.value = f.high = c[at].x;
	f.low = at > 0 ? c[at - 1].x : 0;
	f.is = f.confidence >= least_confidence ? verdict::found : verdict::not_found;
	f.why = format("a load %.0f bytes behind another is as fast as in one line, one %.0f behind is not", f.low,
		       f.high);
	return f;
}

} // namespace micro
