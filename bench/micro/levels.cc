// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/levels.h"

#include "micro/random.h"
#include "micro/stairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace micro
{

namespace
{

constexpr double least_sigma = 0.004;  // as a share: no curve is flatter, as neighbours of a footprint differ
constexpr double sideways = 0.04;      // a knee's place in a curve may be off by this share of a footprint
constexpr double sizes_an_octave = 48; // that are tried
constexpr double worth = 30;           // of a knee, in badness
constexpr size_t window = 2;           // points on each side whose samples tell how much one scatters
constexpr double most_misfit = 1.7;    // of points near a knee
constexpr double nearly_alike = 15;
constexpr double alike = 4; // in badness: what fits no worse than this may be as true

// What places of memory share in a cache is a matter of chance, whose mean the models tell.
double mean_of(const std::vector<double> &samples)
{
	return std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size());
}

// Returns the deviation of single samples, given what they are from the mean of @n of them. Few large ones count less.
double scatter_of(const std::vector<double> &deviations, double n)
{
	std::vector<double> sizes;
	double squares = 0;
	for (double d : deviations) {
		sizes.push_back(std::abs(d));
		squares += d * d;
	}
	const double of_all = std::sqrt(squares / double(sizes.size())), of_middle = bench::median(sizes) / 0.6745;
	return std::min(of_all, 2 * of_middle) * std::sqrt(n / std::max(1.0, n - 1));
}

struct scatter {
	std::vector<std::vector<double>> near; // deviations of samples around each point, from their point's mean
	std::vector<double> of_one;            // of one sample, as a share
};

scatter scatter_around(const curve &c)
{
	std::vector<std::vector<double>> own(c.size());
	for (size_t i = 0; i < c.size(); i++)
		for (double s : c[i].samples)
			own[i].push_back(s / mean_of(c[i].samples) - 1);
	scatter found;
	for (size_t i = 0; i < c.size(); i++) {
		std::vector<double> near;
		for (size_t k = i > window ? i - window : 0; k < std::min(c.size(), i + window + 1); k++)
			near.insert(near.end(), own[k].begin(), own[k].end());
		found.of_one.push_back(scatter_of(near, double(c[i].samples.size())));
		found.near.push_back(std::move(near));
	}
	return found;
}

fitted_points points_of(const curve &c, const scatter &s)
{
	fitted_points p;
	for (size_t i = 0; i < c.size(); i++) {
		p.x.push_back(c[i].x);
		p.y.push_back(mean_of(c[i].samples));
	}
	for (size_t i = 0; i < c.size(); i++) {
		const size_t a = i > window ? i - window : 0, b = std::min(i + window, c.size() - 1);
		const double slope = (p.y[b] - p.y[a]) / std::log(p.x[b] / p.x[a]);
		const double from_samples = s.of_one[i] * p.y[i] / std::sqrt(double(c[i].samples.size()));
		p.sigma.push_back(std::sqrt(from_samples * from_samples + std::pow(sideways * slope, 2) +
					    std::pow(least_sigma * p.y[i], 2)));
	}
	return p;
}

// Draws other points as the same measurement might have given them.
fitted_points resampled(const curve &c, const fitted_points &p, const scatter &s, random_stream &random)
{
	fitted_points other = p;
	for (size_t i = 0; i < c.size(); i++) {
		std::vector<double> drawn(c[i].samples.size());
		for (double &d : drawn)
			d = s.near[i][random.below(uint32_t(s.near[i].size()))];
		other.y[i] *= 1 + mean_of(drawn);
	}
	return other;
}

std::string name_of(const miss_model &m)
{
	return std::string(m.name) + ", " + std::to_string(m.ways) + " ways";
}

// Has what fits in the place of one stair, with the others as they are.
struct rivals {
	std::vector<alternative> by_model; // the best size of each
	double low = 0, high = 0;          // of sizes that fit nearly as well, with any model
	bool pages_anywhere = false;       // with the best model
	bool many_places = false;          // the same
	double middle = 0;                 // of those that fit alike, as no footprint lies between them
};

rivals rivals_of(const fitted_points &p, const staircase &s, size_t at)
{
	rivals found;
	double least = s.badness, least_of_models = 1e300;
	std::vector<std::pair<double, double>> all; // size and badness
	for (const miss_model &m : miss_models()) {
		alternative best{name_of(m), 0, 1e300};
		for (int step = -36; step <= 36; step++) {
			staircase other = s;
			other.stairs[at].model = &m;
			other.stairs[at].size *= std::exp2(step / sizes_an_octave);
			const double bad = solve(p, other);
			all.emplace_back(other.stairs[at].size, bad);
			if (bad < best.badness)
				best = {best.model, other.stairs[at].size, bad};
		}
		if (best.badness < least_of_models) {
			least_of_models = best.badness;
			found.pages_anywhere = m.pages_anywhere;
			found.many_places = m.many_places;
		}
		least = std::min(least, best.badness);
		found.by_model.push_back(best);
	}
	std::sort(found.by_model.begin(), found.by_model.end(),
		  [](const alternative &a, const alternative &b) { return a.badness < b.badness; });
	double first = s.stairs[at].size, last = first;
	found.low = found.high = first;
	for (const auto &[size, bad] : all) {
		if (bad <= least + alike) {
			found.low = std::min(found.low, size);
			found.high = std::max(found.high, size);
		}
		if (bad <= least + 0.05) {
			first = std::min(first, size);
			last = std::max(last, size);
		}
	}
	found.middle = std::sqrt(first * last);
	return found;
}

double spread_near(const curve &c, const scatter &s, double size)
{
	std::vector<double> all;
	for (size_t i = 0; i < c.size(); i++)
		if (c[i].x > size / 2 && c[i].x < 4 * size)
			all.push_back(s.of_one[i]);
	return all.empty() ? 0 : bench::median(all);
}

// Returns how far points near a knee lie from the sum, over how far they may.
double misfit_near(const fitted_points &p, const staircase &s, double size)
{
	double squares = 0;
	unsigned n = 0;
	for (size_t i = 0; i < p.x.size(); i++) {
		if (p.x[i] < size / 3 || p.x[i] > 3 * size)
			continue;
		squares += std::pow((p.y[i] - height_at(s, p.x[i])) / p.sigma[i], 2);
		n++;
	}
	return n ? std::sqrt(squares / n) : 0;
}

double quantile(std::vector<double> all, double q)
{
	std::sort(all.begin(), all.end());
	return all[std::min(all.size() - 1, size_t(q * double(all.size())))];
}

// A larger footprint misses more in every cache. If a smaller one took clearly longer, something else had the cache
// then.
bool falls_near(const curve &c, double size)
{
	constexpr double clearly = 1.3;
	double most = 0;
	for (const point &p : c) {
		if (p.x < size / 3 || p.x > 3 * size)
			continue;
		// Where pages lie is a matter of chance too, which the samples of one footprint show.
		if (most > clearly * quantile(p.samples, 0.75))
			return true;
		most = std::max(most, quantile(p.samples, 0.25));
	}
	return false;
}

// Where misses begin all at once, a size shows without a model: the last footprint that is as fast as those before it
// and the first that is not have it between them. Where pages lie anywhere they begin slowly, and long before the size.
// A quarter of an octave behind that, at least @much of the rise must be there.
bool find_sharp_begin(const curve &c, double before, double rise, double much, knee &k)
{
	constexpr double fast = 0.02, slow = 0.025, quarter = 1.19; // parts of the rise; of an octave
	const double first = k.size / 2, last = k.size * 2;
	const point *below = nullptr, *above = nullptr;
	for (const point &p : c) {
		const double missed = (p.median() - before) / rise;
		if (p.x < first || p.x > last)
			continue;
		if (!above && missed < fast)
			below = &p;
		else if (!above && below && missed > slow)
			above = &p;
		// It begins slowly, or begins twice.
		if (above && ((p.x > quarter * above->x && missed < much) || missed < fast))
			return false;
	}
	if (!below || !above || above->x > below->x * std::exp2(1.0 / 6))
		return false;
	// A few misses do not show.
	k.low = below->x / std::exp2(1 / sizes_an_octave);
	k.high = above->x;
	k.size = std::sqrt(k.low * k.high);
	return true;
}

knee knee_of(const curve &c, const fitted_points &p, const scatter &s, const staircase &stairs, size_t at,
	     const level_rules &how)
{
	const rivals r = rivals_of(p, stairs, at);
	knee k;
	k.size = r.middle;
	k.low = r.low;
	k.high = r.high;
	k.rise = stairs.stairs[at].rise;
	k.model = r.by_model[0].model;
	k.misfit = misfit_near(p, stairs, k.size);
	k.spread = spread_near(c, s, k.size);
	k.falls = falls_near(c, k.size);
	k.disturbed = k.falls || k.spread > how.most_spread;
	k.badness = r.by_model[0].badness;
	// Where pages lie anywhere, misses begin before the size.
	const bool begins_early = r.pages_anywhere && k.misfit <= most_misfit;
	if (!k.disturbed && !begins_early) {
		double before = stairs.base;
		for (size_t i = 0; i < at; i++)
			before += stairs.stairs[i].rise;
		// Where a line has many places, misses begin at the size and become more slowly: 0.11 of all then
		// at least.
		k.sharp = find_sharp_begin(c, before, k.rise, r.many_places ? 0.08 : 0.35, k);
		if (k.sharp && k.misfit > most_misfit)
			k.model = "none of the models";
	}
	k.others.assign(r.by_model.begin() + 1, r.by_model.begin() + 5);
	return k;
}

double share_of_misses(const stair &s, double x)
{
	return miss_share(*s.model, x / s.size);
}

double height_behind(const staircase &s, size_t stairs)
{
	double h = s.base;
	for (size_t i = 0; i < stairs; i++)
		h += s.stairs[i].rise;
	return h;
}

// Returns how much longer loads take at a footprint than those of level @n alone, as the knees around it have it.
double excess_at(const staircase &s, size_t n, double x)
{
	double sum = 0;
	for (size_t k = 0; k < s.stairs.size(); k++)
		sum += s.stairs[k].rise * (share_of_misses(s.stairs[k], x) - (k < n));
	return sum;
}

// Footprints that are neighbours share what a knee beside them does there that no model tells: where there are many,
// some in a row count as one.
std::vector<double> in_groups(const std::vector<double> &all)
{
	constexpr size_t groups = 8;
	if (all.size() <= groups)
		return all;
	std::vector<double> means;
	for (size_t i = 0; i < groups; i++)
		means.push_back(mean_of({all.begin() + ptrdiff_t(i * all.size() / groups),
					 all.begin() + ptrdiff_t((i + 1) * all.size() / groups)}));
	return means;
}

// Samples of one footprint share what makes it differ from others: which lines share a set, and what the knees beside
// it do there that no model tells. So footprints count, and not samples. Returns the interval of their mean by
// Student's distribution.
bench::ratio between_footprints(const std::vector<double> &all)
{
	const std::vector<double> means = in_groups(all);
	static constexpr double student[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};
	const double n = double(means.size()), mean = mean_of(means);
	double squares = 0;
	for (double m : means)
		squares += (m - mean) * (m - mean);
	const double half = means.size() < 2 ? 0 : student[means.size() - 2] * std::sqrt(squares / (n - 1) / n);
	bench::ratio r;
	r.median = mean;
	r.low = mean - half;
	r.high = mean + half;
	return r;
}

// Points that the knee before has left behind, and the one after has not begun to lift. What knees farther off do there
// is the matter of models alone. Where the one after begins all at once, whatever model fits, no point behind @last_x
// counts.
level level_of(const curve &c, const staircase &s, size_t n, double last_x)
{
	level l;
	bench::series all;
	std::vector<double> means; // of footprints, without what knees do there
	const double height = height_behind(s, n);
	double least_off = 1e300, nearest = height; // what was measured where knees do least
	for (size_t i = 0; i < c.size(); i++) {
		double off = 0;
		for (size_t k = n > 0 ? n - 1 : 0; k < std::min(n + 1, s.stairs.size()); k++)
			off += s.stairs[k].rise *
			       std::abs(share_of_misses(s.stairs[k], c[i].x * (k < n ? 0.97 : 1.03)) - (k < n));
		if (off < least_off) {
			least_off = off;
			nearest = mean_of(c[i].samples);
		}
		if (off > 0.004 * height || c[i].x > last_x)
			continue;
		l.first = all.empty() ? i : l.first;
		l.last = i;
		all.insert(all.end(), c[i].samples.begin(), c[i].samples.end());
		means.push_back(mean_of(c[i].samples) - excess_at(s, n, c[i].x));
	}
	l.flat = all.size() >= 4;
	if (l.flat) {
		l.height = bench::median_interval(all);
		const bench::ratio by_footprint = between_footprints(means);
		const bool few = means.size() < 4;
		l.height.low = std::min(few ? l.height.low : l.height.median, by_footprint.low);
		l.height.high = std::max(few ? l.height.high : l.height.median, by_footprint.high);
		return l;
	}
	// The level is somewhere between what was measured nearest to it and what the model makes of that.
	l.height.median = height;
	l.height.low = std::min(height, nearest);
	l.height.high = std::max(height, nearest);
	return l;
}

// Returns the heights that a level has with other models and sizes of the knees beside it, which fit as well as @s.
std::vector<double> other_heights(const fitted_points &p, const staircase &s, size_t n)
{
	constexpr int steps = 12;
	std::vector<double> found;
	// Where no model fits, the scatter of points around the best one says how far off one may be.
	const double worse = alike * std::max(1.0, s.badness / double(p.x.size()));
	for (size_t at = n > 0 ? n - 1 : 0; at < std::min(n + 1, s.stairs.size()); at++) {
		for (const miss_model &m : miss_models()) {
			for (int step = -steps; step <= steps; step++) {
				staircase other = s;
				other.stairs[at].model = &m;
				other.stairs[at].size *= std::exp2(step / sizes_an_octave);
				if (solve(p, other) <= s.badness + worse)
					found.push_back(height_behind(other, n));
			}
		}
	}
	return found;
}

struct votes {
	unsigned near = 0;
	std::vector<double> sizes;
	std::vector<double> heights; // of the level behind the knee
};

void vote(const staircase &s, const std::vector<knee> &knees, const level_rules &how, std::vector<votes> &to)
{
	for (size_t k = 0; k < knees.size(); k++) {
		for (const stair &t : s.stairs) {
			if (std::abs(std::log2(t.size / knees[k].size)) > how.one_step)
				continue;
			to[k].near++;
			to[k].sizes.push_back(t.size);
			break;
		}
		if (s.stairs.size() == knees.size())
			to[k].heights.push_back(height_behind(s, k + 1));
	}
}

void conclude(knee &k, const votes &v, const level_rules &how)
{
	double agreement = how.resamples ? double(v.near) / how.resamples : 0;
	if (k.sharp) {
		k.confidence = std::min(agreement, k.misfit > most_misfit ? 0.9 : 0.99);
		return;
	}
	if (!v.sizes.empty()) {
		k.low = std::min(k.low, quantile(v.sizes, 0.025));
		k.high = std::max(k.high, quantile(v.sizes, 0.975));
	}
	// Sizes between those that were tried fit as well.
	k.low /= std::exp2(1 / sizes_an_octave);
	k.high *= std::exp2(1 / sizes_an_octave);
	// If sizes more than a step away fit nearly as well, nobody knows which is right.
	if (std::log2(k.size / k.low) > how.one_step || std::log2(k.high / k.size) > how.one_step)
		agreement = std::min(agreement, 0.8);
	// Another model that fits a little worse may be the true one.
	for (const alternative &a : k.others)
		if (a.badness < k.badness + nearly_alike && std::abs(std::log2(a.size / k.size)) > how.one_step)
			agreement = std::min(agreement, 0.9);
	// No model says what the knee looks like, so its size may be anything near.
	if (k.misfit > most_misfit)
		agreement = std::min(agreement, 0.8);
	k.confidence = k.disturbed ? 0 : std::min(agreement, 0.99);
}

// A level that no footprint shows by itself has the fit's height.
void conclude(level &l, const std::vector<double> &heights)
{
	if (l.flat || heights.empty())
		return;
	l.height.low = std::min(l.height.low, quantile(heights, 0.025));
	l.height.high = std::max(l.height.high, quantile(heights, 0.975));
	l.height.confidence = 0.8; // it depends on the model
}

} // namespace

levels find_levels(const curve &c, uint64_t seed, const level_rules &how)
{
	levels found;
	constexpr size_t least_points = 6;
	if (c.size() < least_points)
		return found;
	const scatter s = scatter_around(c);
	const fitted_points p = points_of(c, s);
	staircase stairs = climb(p, worth, how.least_rise);
	settle(p, stairs);
	settle_pairs(p, stairs);
	for (size_t i = 0; i < stairs.stairs.size(); i++)
		found.knees.push_back(knee_of(c, p, s, stairs, i, how));
	for (size_t i = 0; i <= stairs.stairs.size(); i++) {
		const bool ends_at_once = i < found.knees.size() && found.knees[i].sharp;
		const double last_x = ends_at_once ? found.knees[i].low * std::exp2(1 / sizes_an_octave) : c.back().x;
		found.heights.push_back(level_of(c, stairs, i, last_x * 1.001));
		level &l = found.heights.back();
		for (double h : l.flat || how.resamples == 0 ? std::vector<double>() : other_heights(p, stairs, i)) {
			l.height.low = std::min(l.height.low, h);
			l.height.high = std::max(l.height.high, h);
		}
	}
	std::vector<votes> v(found.knees.size());
	random_stream random(seed, 11);
	for (unsigned i = 0; i < how.resamples && !v.empty(); i++) {
		staircase other = stairs;
		const fitted_points drawn = resampled(c, p, s, random);
		solve(drawn, other);
		settle(drawn, other);
		vote(other, found.knees, how, v);
	}
	for (size_t i = 0; i < v.size(); i++) {
		conclude(found.knees[i], v[i], how);
		conclude(found.heights[i + 1], v[i].heights);
	}
	return found;
}

} // namespace micro
