// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/misses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace micro
{

namespace
{

constexpr double least_load = 1.0 / 16, an_octave = 64;
constexpr size_t entries = 8 * size_t(an_octave) + 1; // to a load of 16

// All lines of a set that has too many are missed, if the oldest goes first.
double share_of_oldest_first(double lines, double ways)
{
	return lines > ways ? 1 : 0;
}

// Between two loads of a line, those of the other lines replace it with some probability: m = 1 - exp(-m * load).
double share_of_any_first(double lines, double ways)
{
	const double load = lines / ways;
	if (load <= 1)
		return 0;
	double m = 1;
	for (int i = 0; i < 60; i++)
		m = 1 - std::exp(-m * load);
	return m;
}

double share_in_set(const miss_model &m, double lines)
{
	if (m.keeps_one)
		return lines > m.ways ? 1 - 1 / lines : 0;
	return m.least_recent ? share_of_oldest_first(lines, m.ways) : share_of_any_first(lines, m.ways);
}

// With pages in a row each set has one of two neighbouring numbers of lines.
double share_in_a_row(const miss_model &m, double load)
{
	const double lines = load * m.ways, few = std::floor(lines), with_more = lines - few;
	const double missed =
		(1 - with_more) * few * share_in_set(m, few) + with_more * (few + 1) * share_in_set(m, few + 1);
	return missed / lines;
}

// With pages anywhere the numbers follow Poisson's distribution.
double share_anywhere(const miss_model &m, double load)
{
	const double mean = load * m.ways;
	double probability = std::exp(-mean), missed = 0;
	for (unsigned n = 1; n < unsigned(mean + 10 * std::sqrt(mean) + 20); n++) {
		probability *= mean / n;
		missed += probability * n * share_in_set(m, n);
	}
	return std::min(1.0, missed / mean);
}

// What is there of all lines is what a load finds.
double share_of_many_places(double load)
{
	return load > 1 ? 1 - 1 / load : 0;
}

// Half of what misses the near segment is looked for in the far one, which has that half alone. As a share of what
// memory costs more than the near one, the far one costs about 0.4 on an H100, so that its misses are 0.3 of the rise.
double share_of_two_segments(const miss_model &m, double load)
{
	constexpr double of_far = 0.3;
	const auto one = [&](double l) { return m.many_places ? share_of_many_places(l) : share_in_a_row(m, l); };
	return (1 - of_far) * one(load) + of_far * one(load / 2);
}

using table = std::array<double, entries>;

table table_of(const miss_model &m)
{
	table t;
	for (size_t i = 0; i < entries; i++) {
		const double load = least_load * std::exp2(double(i) / an_octave);
		t[i] = m.two_segments     ? share_of_two_segments(m, load)
		       : m.many_places    ? share_of_many_places(load)
		       : m.pages_anywhere ? share_anywhere(m, load)
					  : share_in_a_row(m, load);
	}
	return t;
}

std::vector<miss_model> make_models()
{
	std::vector<miss_model> all;
	for (unsigned ways : {2u, 4u, 8u, 16u, 32u}) {
		all.push_back({"oldest line first, pages in a row", ways, true, false, false, false});
		all.push_back({"oldest line first, pages anywhere", ways, true, true, false, false});
		all.push_back({"any line first, pages anywhere", ways, false, true, false, false});
	}
	for (unsigned ways : {4u, 16u})
		all.push_back({"any line first, pages in a row", ways, false, false, false, false});
	all.push_back({"all but one line of a set in turn, pages in a row", 4, false, false, true, false});
	all.push_back({"many places a line or page", 16, false, false, false, true});
	all.push_back({"two segments", 16, false, false, false, true, true});
	all.push_back({"two segments, any line first", 16, false, false, false, false, true});
	return all;
}

std::vector<table> make_tables()
{
	std::vector<table> all;
	for (const miss_model &m : miss_models())
		all.push_back(table_of(m));
	return all;
}

} // namespace

std::span<const miss_model> miss_models()
{
	static const std::vector<miss_model> all = make_models();
	return all;
}

double miss_share(const miss_model &m, double load)
{
	static const std::vector<table> tables = make_tables();
	const table &t = tables[size_t(&m - miss_models().data())];
	const double at = std::log2(load / least_load) * an_octave;
	if (at <= 0)
		return t.front();
	if (at >= double(entries - 1))
		return t.back();
	const auto below = size_t(at);
	return t[below] + (at - double(below)) * (t[below + 1] - t[below]);
}

} // namespace micro
