// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/examples.h"

#include "micro/shown.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace micro
{

namespace
{

constexpr double word = 4;

double best_of(const het::json &document, const std::string &prefix, const std::string &curve)
{
	double best = 0;
	const shown_curves all = curves_of(document, prefix);
	if (const auto it = all.curves.find(curve); it != all.curves.end())
		for (const auto &[x, p] : it->second)
			best = std::max(best, p.median);
	return best;
}

// Single words have too few bytes under way on some devices. Older results have no copies of vectors.
void take_copies(const het::json &document, ceilings &c)
{
	c.copy = best_of(document, "bandwidth/global/both", "sequential");
	c.pair_copy = std::max(c.copy, best_of(document, "copies", "2"));
	c.best_copy = c.pair_copy;
	for (const auto &[width, points] : curves_of(document, "copies").curves)
		c.best_copy = std::max(c.best_copy, best_of(document, "copies", width));
}

void take_vectors(const het::json &document, ceilings &c)
{
	const shown_curves all = curves_of(document, "vectors");
	for (const auto &[width, points] : all.curves) {
		for (const auto &[x, p] : points) {
			if (p.median <= c.vector_read)
				continue;
			c.vector_read = p.median;
			c.vector_width = unsigned(std::stoul(width));
		}
	}
	if (c.vector_width == 0)
		return;
	constexpr double most_of_it = 0.98;
	for (const auto &[x, p] : all.curves.at(std::to_string(c.vector_width))) {
		if (p.median < most_of_it * c.vector_read)
			continue;
		c.threads = uint32_t(x);
		return;
	}
}

// Returns 0 where something that it takes is not known.
double sum_of(std::initializer_list<std::pair<double, double>> amounts_and_rates)
{
	double sum = 0;
	for (const auto &[amount, rate] : amounts_and_rates) {
		if (!(rate > 0))
			return 0;
		sum += amount / rate;
	}
	return sum;
}

// Of things that go on at the same time the longest counts. Where another takes nearly as long, not all of it is
// hidden: how much is, the roofline shows, one of whose points is as near to its ridge.
double longer(const ceilings &c, double a, double b)
{
	constexpr double near = 0.5;
	if (!(a > 0 && b > 0))
		return 0;
	const double most = std::max(a, b), share = std::min(a, b) / most;
	return most * (1 + (1 / c.overlap - 1) * std::min(1.0, share / near));
}

// Returns what was found, or else what the device says, or 0.
double value_of(const het::json &document, const std::string &name)
{
	for (const het::json &f : document["facts"]) {
		if (f.at("name").get<std::string>() != name)
			continue;
		for (const char *key : {"value", "claim"})
			if (f.contains(key) && f[key].is_number())
				return f[key].get<double>();
	}
	return 0;
}

// The last cache gathers what threads write beside each other, one after the other.
bool last_cache_gathers(const het::json &document, size_t claimed)
{
	constexpr double group = 256;
	const double threads = group * value_of(document, "groups.of_256");
	double size = 0, line = 0;
	for (const char *level : {"l1", "l2", "l3", "l4"}) {
		if (value_of(document, std::string(level) + ".size") <= size)
			continue;
		size = value_of(document, std::string(level) + ".size");
		line = value_of(document, std::string(level) + ".fetch");
	}
	if (size <= 0)
		size = double(claimed);
	constexpr double usual_line = 64;
	return threads > 0 && threads * (line > 0 ? line : usual_line) <= size;
}

double overlap_of(const het::json &document, const ceilings &c)
{
	const shown_curves all = curves_of(document, "roofline");
	const auto it = all.curves.find("");
	if (it == all.curves.end() || it->second.empty() || !(c.fma > 0))
		return 1;
	// At its foot memory alone counts.
	const double bytes = it->second.begin()->second.median / it->second.begin()->first;
	double least = 1;
	for (const auto &[flop_a_byte, p] : it->second)
		least = std::min(least, p.median / std::min(bytes * flop_a_byte, 2 * c.fma));
	return std::max(0.5, least);
}

} // namespace

ceilings ceilings_of(const het::json &document, size_t claimed_cache)
{
	ceilings c;
	c.read = best_of(document, "bandwidth/global/read", "sequential");
	take_copies(document, c);
	c.spread_write = best_of(document, "bandwidth/global/write", "shifted");
	c.cache_write = best_of(document, "bandwidth/cache/write", "random");
	c.local_read = best_of(document, "bandwidth/local", "read");
	c.fma = best_of(document, "arithmetic/rate", "float fma");
	c.gathers = last_cache_gathers(document, claimed_cache);
	c.overlap = overlap_of(document, c);
	take_vectors(document, c);
	c.warp = std::max(1.0, value_of(document, "warp.width"));
	const shown_curves atomics = curves_of(document, "atomics"), banks = curves_of(document, "banks");
	if (const auto it = atomics.curves.find("add"); it != atomics.curves.end() && !it->second.empty())
		c.change_ns = it->second.rbegin()->second.median / it->second.rbegin()->first;
	// Loads in a row take their latency and a round more for each conflict: of 32 there are 31.
	if (const auto it = banks.curves.find(""); it != banks.curves.end() && !it->second.empty()) {
		const double first = it->second.begin()->second.median, last = it->second.rbegin()->second.median;
		c.conflict = last > 1.1 * first ? 32 : 1;
	}
	return c;
}

double predicted_reduction(const ceilings &c, const std::string &stage, double n, double threads)
{
	// Compilers let threads that execute together add what they have first, where all add to one word.
	const double change = c.change_ns > 0 ? c.warp / c.change_ns : 0;
	if (stage == "each")
		return longer(c, sum_of({{word * n, c.read}}), sum_of({{n, change}}));
	if (stage == "rows")
		return sum_of({{word * n, c.read}, {threads, change}});
	return sum_of({{word * n, c.vector_read}});
}

double predicted_transpose(const ceilings &c, const std::string &stage, double n)
{
	const double bytes = word * n * n;
	if (stage == "each" && c.gathers && c.cache_write > 0)
		return longer(c, sum_of({{2 * bytes, c.copy}}), sum_of({{bytes, c.cache_write}}));
	if (stage == "each")
		return sum_of({{bytes, c.read}, {bytes, c.spread_write}});
	// A thread has four words under way. Rows are written to local memory, and columns are read from it.
	const double ways = stage == "tiles" ? c.conflict : 1;
	return longer(c, sum_of({{2 * bytes, c.best_copy}}),
		      sum_of({{bytes * (1 + ways), ways > 0 ? c.local_read : 0}}));
}

// A multiplication needs two words, which the cache nearest to a unit has as fast as local memory, as both are one on
// many devices. Blocks of 8 x 8 need 16 words for 64.
double predicted_product(const ceilings &c, const std::string &stage, double n)
{
	const double all = n * n * n, words = stage.starts_with("blocks") ? 16.0 / 64 : 2;
	return longer(c, sum_of({{all, c.fma}}), sum_of({{all * words * word, c.local_read}}));
}

double predicted_scan(const ceilings &c, const std::string &stage, double n)
{
	const double pass = 2 * word * n; // one word is read and one written
	if (stage == "passes")
		return sum_of({{std::log2(n) * pass, c.copy}});
	if (stage == "groups")
		return sum_of({{2 * pass, c.copy}});
	return sum_of({{word * n, c.vector_read}, {pass, c.copy}});
}

// A number is two words. Between five passes numbers go to local memory and back four times. Threads that write four
// places apart want a quarter of the banks in the first two of them, and half of those in the third.
double predicted_fourier(const ceilings &c, const std::string &stage, double n)
{
	const double number = 2 * word, pass = 2 * number * n;
	if (stage == "passes of 2")
		return sum_of({{10 * pass, c.pair_copy}});
	if (stage == "passes of 4")
		return sum_of({{5 * pass, c.pair_copy}});
	const bool conflicts = c.conflict > 1 && stage == "groups";
	const double accesses = conflicts ? 4 + 4 + 2 + 1 + 4 : c.conflict > 0 ? 4 + 4 : 0;
	return longer(c, sum_of({{pass, c.pair_copy}}),
		      sum_of({{accesses * number * n, accesses > 0 ? c.local_read : 0}}));
}

} // namespace micro
