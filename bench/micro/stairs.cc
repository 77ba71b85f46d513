// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/stairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

namespace micro
{

namespace
{

constexpr size_t most_stairs = 6;
constexpr double rough = 8, fine = 48; // sizes in an octave

using column = std::vector<double>; // a share for each point, over the point's sigma

column column_of(const fitted_points &p, const miss_model &m, double size)
{
	column c(p.x.size());
	for (size_t i = 0; i < c.size(); i++)
		c[i] = miss_share(m, p.x[i] / size) / p.sigma[i];
	return c;
}

column ones(const fitted_points &p)
{
	column c(p.x.size());
	for (size_t i = 0; i < c.size(); i++)
		c[i] = 1 / p.sigma[i];
	return c;
}

double product(const column &a, const column &b)
{
	double sum = 0;
	for (size_t i = 0; i < a.size(); i++)
		sum += a[i] * b[i];
	return sum;
}

using row = std::array<double, most_stairs + 3>;

// Solves the normal equations by elimination. Returns false if columns are too much alike.
bool eliminate(std::vector<row> &m)
{
	const size_t n = m.size();
	for (size_t i = 0; i < n; i++) {
		const double before = m[i][i];
		if (!(before > 0))
			return false;
		for (size_t k = i + 1; k < n; k++) {
			const double f = m[k][i] / m[i][i];
			for (size_t j = i; j <= n; j++)
				m[k][j] -= f * m[i][j];
			if (k == i + 1 && m[k][k] < 1e-9 * before)
				return false;
		}
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			m[i][n] -= m[i][k] * m[k][n];
		m[i][n] /= m[i][i];
	}
	return true;
}

struct solution {
	std::vector<double> factors;
	double badness = std::numeric_limits<double>::max();
};

solution least_squares(std::span<const column *const> columns, const column &y)
{
	const size_t n = columns.size();
	std::vector<row> m(n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i; k < n; k++)
			m[i][k] = m[k][i] = product(*columns[i], *columns[k]);
		m[i][n] = product(*columns[i], y);
	}
	const std::vector<row> sides = m;
	solution s;
	if (!eliminate(m))
		return s;
	s.badness = product(y, y);
	for (size_t i = 0; i < n; i++) {
		s.factors.push_back(m[i][n]);
		s.badness -= m[i][n] * sides[i][n];
	}
	return s;
}

column weighted(const fitted_points &p)
{
	column y(p.y);
	for (size_t i = 0; i < y.size(); i++)
		y[i] /= p.sigma[i];
	return y;
}

// Every rise must be one, and large enough to be a level and no wave.
bool plausible(const solution &s, std::span<const stair> stairs, double least_rise)
{
	if (s.factors.empty() || !(s.factors[0] > 0))
		return false;
	std::vector<std::pair<double, double>> by_size;
	for (size_t i = 0; i < stairs.size(); i++)
		by_size.emplace_back(stairs[i].size, s.factors[i + 1]);
	std::sort(by_size.begin(), by_size.end());
	double height = s.factors[0];
	for (const auto &[size, rise] : by_size) {
		if (rise < least_rise * height)
			return false;
		height += rise;
	}
	return true;
}

void take(const solution &s, staircase &to)
{
	to.badness = s.badness;
	to.base = s.factors[0];
	for (size_t i = 0; i < to.stairs.size(); i++)
		to.stairs[i].rise = s.factors[i + 1];
}

// These three knees differ most; the others are tried when a place is known.
bool in_search(const miss_model &m)
{
	return m.ways == 16 && !(m.pages_anywhere && !m.least_recent) && !(m.two_segments && !m.many_places);
}

struct work {
	const fitted_points &p;
	column y, one;
	std::vector<column> own; // of the stairs
	bool many_places = true; // the model of these may be taken: it is so smooth that it fits two knees badly

	bool may_take(const miss_model &m) const { return many_places || !m.many_places; }

	explicit work(const fitted_points &points) : p(points), y(weighted(points)), one(ones(points)) {}

	void columns_of(const staircase &s)
	{
		own.clear();
		for (const stair &t : s.stairs)
			own.push_back(column_of(p, *t.model, t.size));
	}
	// Solves with two others in the places of stairs.
	solution with(size_t at, const column &other, size_t second, const column &another) const
	{
		std::vector<const column *> all = {&one};
		for (size_t i = 0; i < own.size(); i++)
			all.push_back(i == at ? &other : i == second ? &another : &own[i]);
		return least_squares(all, y);
	}
	// Solves with @other in the place of stair @at, which may be one behind the last.
	solution with(size_t at, const column *other) const
	{
		std::vector<const column *> all = {&one};
		for (size_t i = 0; i < own.size(); i++)
			all.push_back(i == at ? other : &own[i]);
		if (at == own.size() && other)
			all.push_back(other);
		return least_squares(all, y);
	}
};

// Two stairs that are close may be one whose shape no model has: there must be more to say for them.
constexpr double close_octaves = 1.5, worth_of_close = 20;

bool close_to_another(const staircase &s, const stair &t)
{
	return std::any_of(s.stairs.begin(), s.stairs.end(), [&](const stair &other) {
		return std::abs(std::log2(other.size / t.size)) < close_octaves;
	});
}

bool add_best(work &w, staircase &s, double worth, double least_rise)
{
	w.columns_of(s);
	stair best;
	solution of_best;
	std::vector<stair> tried = s.stairs;
	tried.emplace_back();
	// A size at either end could not be told from another height.
	for (const miss_model &m : miss_models()) {
		if (!in_search(m) || !w.may_take(m))
			continue;
		for (double size = w.p.x[1]; size < w.p.x[w.p.x.size() - 2]; size *= std::exp2(1 / rough)) {
			const column c = column_of(w.p, m, size);
			tried.back() = {&m, size, 0};
			solution found = w.with(s.stairs.size(), &c);
			if (found.badness < of_best.badness && plausible(found, tried, least_rise)) {
				best = tried.back();
				of_best = std::move(found);
			}
		}
	}
	if (!best.model || of_best.badness > s.badness - worth * (close_to_another(s, best) ? worth_of_close : 1))
		return false;
	s.stairs.push_back(best);
	take(of_best, s);
	return true;
}

// Changes one stair for the better, if it can be. Sizes within half an octave are tried, with all models.
bool improve(work &w, staircase &s, size_t at)
{
	w.columns_of(s);
	const stair before = s.stairs[at];
	std::vector<stair> tried = s.stairs;
	solution of_best;
	of_best.badness = s.badness * (1 - 1e-9);
	for (const miss_model &m : miss_models()) {
		if (!w.may_take(m))
			continue;
		for (int step = -int(fine) / 2; step <= int(fine) / 2; step += 2) {
			tried[at] = {&m, before.size * std::exp2(step / fine), 0};
			const column c = column_of(w.p, m, tried[at].size);
			solution found = w.with(at, &c);
			if (found.badness < of_best.badness && plausible(found, tried, 0)) {
				of_best = std::move(found);
				s.stairs[at] = tried[at];
			}
		}
	}
	if (of_best.factors.empty())
		return false;
	take(of_best, s);
	return true;
}

struct candidate {
	stair what;
	column shares;
};

std::vector<candidate> candidates_near(const work &w, const stair &s)
{
	constexpr double steps = 10; // in an octave
	std::vector<candidate> all;
	for (const miss_model &m : miss_models()) {
		for (int step = -5; step <= 5; step++) {
			const double size = s.size * std::exp2(step / steps);
			all.push_back({{&m, size, 0}, column_of(w.p, m, size)});
		}
	}
	return all;
}

// Changes two stairs at once: where one knee begins before another ends, each alone may be the best beside the other's
// wrong place.
bool improve_pair(work &w, staircase &s, size_t at)
{
	w.columns_of(s);
	const std::vector<candidate> first = candidates_near(w, s.stairs[at]),
				     second = candidates_near(w, s.stairs[at + 1]);
	std::vector<stair> tried = s.stairs;
	solution of_best;
	of_best.badness = s.badness * (1 - 1e-6);
	for (const candidate &a : first) {
		for (const candidate &b : second) {
			solution found = w.with(at, a.shares, at + 1, b.shares);
			if (found.badness >= of_best.badness)
				continue;
			tried[at] = a.what;
			tried[at + 1] = b.what;
			if (!plausible(found, tried, 0))
				continue;
			of_best = std::move(found);
			s.stairs[at] = a.what;
			s.stairs[at + 1] = b.what;
		}
	}
	if (of_best.factors.empty())
		return false;
	take(of_best, s);
	return true;
}

void sort(staircase &s)
{
	std::sort(s.stairs.begin(), s.stairs.end(), [](const stair &a, const stair &b) { return a.size < b.size; });
}

// What was the best stair to add first may have no worth beside those that came later.
bool remove_worst(work &w, staircase &s, double worth)
{
	staircase best;
	best.badness = std::numeric_limits<double>::max();
	for (size_t i = 0; i < s.stairs.size(); i++) {
		staircase without = s;
		const stair removed = without.stairs[i];
		without.stairs.erase(without.stairs.begin() + ptrdiff_t(i));
		solve(w.p, without);
		for (int pass = 0; pass < 2; pass++)
			for (size_t k = 0; k < without.stairs.size(); k++)
				improve(w, without, k);
		const double needed = worth * (close_to_another(without, removed) ? worth_of_close : 1);
		if (without.badness < s.badness + needed && without.badness < best.badness)
			best = without;
	}
	if (best.badness == std::numeric_limits<double>::max())
		return false;
	s = best;
	return true;
}

} // namespace

double solve(const fitted_points &p, staircase &s)
{
	work w(p);
	w.columns_of(s);
	const solution found = w.with(s.stairs.size(), nullptr);
	if (found.factors.empty())
		return s.badness = std::numeric_limits<double>::max();
	take(found, s);
	return s.badness;
}

namespace
{

void improve_all(work &w, staircase &s, int passes)
{
	for (int pass = 0; pass < passes; pass++)
		for (size_t i = 0; i < s.stairs.size(); i++)
			improve(w, s, i);
}

// Where one stair stands for two and fits badly, a second has its worth only when the first has moved.
bool add_and_move(work &w, staircase &s, double worth, double least_rise)
{
	constexpr double fits = 1.6; // in badness of one point
	if (s.stairs.size() >= most_stairs || s.badness < fits * double(w.p.x.size()))
		return false;
	staircase more = s;
	if (!add_best(w, more, 0, least_rise))
		return false;
	improve_all(w, more, 2);
	sort(more);
	for (size_t i = 0; i + 1 < more.stairs.size(); i++)
		improve_pair(w, more, i);
	improve_all(w, more, 1);
	if (more.badness > s.badness - worth * worth_of_close)
		return false;
	s = more;
	return true;
}

staircase climb_with(work &w, double worth, double least_rise)
{
	staircase s;
	solve(w.p, s);
	do {
		while (s.stairs.size() < most_stairs && add_best(w, s, worth, least_rise))
			improve_all(w, s, 1);
	} while (add_and_move(w, s, worth, least_rise));
	while (remove_worst(w, s, worth))
		;
	return s;
}

} // namespace

// The first stair that is taken may lead to a place from which no single one is better, so there are two ways up.
staircase climb(const fitted_points &p, double worth, double least_rise)
{
	work all(p), few(p);
	few.many_places = false;
	const staircase a = climb_with(all, worth, least_rise), b = climb_with(few, worth, least_rise);
	const auto cost = [&](const staircase &s) { return s.badness + worth * double(s.stairs.size()); };
	return cost(a) <= cost(b) ? a : b;
}

void settle(const fitted_points &p, staircase &s)
{
	work w(p);
	for (int pass = 0; pass < 3; pass++) {
		bool better = false;
		for (size_t i = 0; i < s.stairs.size(); i++)
			better = improve(w, s, i) || better;
		if (!better)
			break;
	}
	sort(s);
}

void settle_pairs(const fitted_points &p, staircase &s)
{
	constexpr double near = 4; // octaves
	work w(p);
	sort(s);
	for (size_t i = 0; i + 1 < s.stairs.size(); i++)
		if (std::log2(s.stairs[i + 1].size / s.stairs[i].size) < near)
			improve_pair(w, s, i);
	settle(p, s);
}

double height_at(const staircase &s, double x)
{
	double y = s.base;
	for (const stair &t : s.stairs)
		y += t.rise * miss_share(*t.model, x / t.size);
	return y;
}

} // namespace micro
