// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/estimate.h"

#include <algorithm>

namespace het::paths
{

namespace
{

// The weights of a new sample are those that TCP has for round trips.
constexpr double weight = 1.0 / 8, deviation_weight = 1.0 / 4;
// But a piece that took less than half of what was expected proves that the path is free again, which no slow one can
// undo: unused paths carry few pieces, and each counts.
constexpr double good_news = 1.0 / 2;
// One that took more than twice as long counts twice: copies have few pieces.
constexpr double bad_news = 1.0 / 4;
// What was best is forgotten slowly: a path may be slower for good, and then it is not congested.
constexpr double forget = 1.0 / 256;
// Of a piece's time so much can be travel alone.
constexpr double most_of_wait = 4;

double between(double old, double sample, double w)
{
	return old + w * (sample - old);
}

} // namespace

void estimate::note_error(double expected, double ns)
{
	double error = std::min(1.0, std::max(ns - expected, expected - ns) / std::max(expected, 1.0));
	noise_ = ns < expected / 2 ? noise_ * (1 - good_news) : between(noise_, error, deviation_weight);
}

void estimate::learn_rate(double rate)
{
	double trust = rate > 2 * rate_ ? good_news : rate < rate_ / 2 ? bad_news : weight;
	rate_ = known() ? between(rate_, rate, trust) : rate;
	best_rate_ = std::max(rate_, between(best_rate_, rate_, forget));
}

// Of the first piece ever nobody knows how much of its time was waiting: all of it counts as travel. Of a later one
// that came sooner than the rate allows, it is the least wait that was seen.
void estimate::saw_first(size_t bytes, uint64_t ns)
{
	auto took = double(std::max<uint64_t>(ns, 1));
	if (!known()) {
		learn_rate(double(bytes) / took);
		return;
	}
	double travel = double(bytes) / rate_;
	note_error(start_ + travel, took);
	if (took < travel)
		learn_rate(double(bytes) / std::max(took - least_start_, took / most_of_wait));
	double waited = std::max(0.0, took - travel);
	start_ = between(start_, waited, waited < start_ / 2 ? good_news : weight);
	if (waited > 0)
		least_start_ = least_start_ > 0 ? std::min(waited, between(least_start_, waited, forget)) : waited;
}

void estimate::saw_next(size_t bytes, uint64_t ns)
{
	auto took = double(std::max<uint64_t>(ns, 1));
	if (known())
		note_error(double(bytes) / rate_, took);
	learn_rate(double(bytes) / took);
}

} // namespace het::paths
