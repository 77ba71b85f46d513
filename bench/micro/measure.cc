// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/measure.h"

#include "common/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace micro
{

namespace
{

using bench::format;

// Four times the work takes this many times as long, or else something is wrong. Launches cost something by themselves,
// so it may be less than four.
constexpr double least_growth = 2.2, most_growth = 6;
constexpr unsigned factor = 4;

bool precise(const figure &f, const rules &how)
{
	return f.samples.size() >= how.least && f.at.high - f.at.low <= 2 * how.precision * std::abs(f.at.median);
}

// An interval costs a sort, so it is not looked at after each sample where there are many.
bool look(size_t samples, const rules &how)
{
	return samples >= how.least && (samples < 32 || samples % 8 == 0 || samples >= how.most);
}

void sample_until_enough(figure &f, const std::function<double()> &sample, const rules &how, const clock_of &now)
{
	const double end = now() + how.seconds;
	while (f.samples.size() < how.most) {
		f.samples.push_back(sample());
		if (!look(f.samples.size(), how))
			continue;
		f.at = bench::median_interval(f.samples);
		f.reached = precise(f, how);
		if (f.reached || now() > end)
			return;
	}
	f.at = bench::median_interval(f.samples);
}

// A launch costs something by itself, such as loads that bring back what caches have lost: the work must outweigh that.
constexpr double outweighs = 1.3, least_of_found = 2.6;

// Returns the work with which launches of once and four times as much tell enough, as two that were too short have it.
uint64_t next_work(double took, double more, uint64_t work, const rules &how)
{
	const double unit = (more - took) / double(work * (factor - 1));
	if (!(unit > 0))
		return work * 16;
	const double by_itself = std::max(0.0, took - unit * double(work));
	const double wanted = std::max(1.2 * how.shortest_ns - by_itself, outweighs * by_itself) / unit;
	return uint64_t(std::ceil(std::clamp(wanted, 2.0 * double(work), 64.0 * double(work))));
}

// Finds how much work takes long enough, and longer than what a launch costs by itself. The first launch does not
// count, as a driver may compile the kernel then.
uint64_t find_work(const timed_work &run, const rules &how, const clock_of &now)
{
	uint64_t work = how.least_work;
	run(work);
	const double end = now() + 2 * how.seconds;
	for (;;) {
		const double took = std::min(run(work), run(work));
		double more = std::min(run(factor * work), run(factor * work));
		// More than four times as long can't be: then something else took time, and nothing is known.
		const auto enough = [&] {
			return took >= how.shortest_ns && more >= least_of_found * took && more <= 1.05 * factor * took;
		};
		if (enough())
			more = std::min(more, run(factor * work));
		if (enough() || work >= how.most_work || now() > end)
			return work;
		work = std::min(how.most_work, next_work(took, more, work, how));
	}
}

// A time that can't be told from a right one, since the machine is busy, is not refused: its interval is wide.
void judge_growth(figure &f, const bench::series &growth)
{
	const bench::ratio g = bench::median_interval(growth);
	if (g.high < least_growth) {
		f.trouble = format("four times the work took only %.2f times as long", g.median);
		f.cure =
			"the compiler removed the work, the clock is too coarse, or a launch costs more than the work: "
			"give --time more seconds";
	} else if (g.low > most_growth) {
		f.trouble = format("four times the work took %.1f times as long", g.median);
		f.cure = "the device slows down, or is shared: let it cool down, and stop what else runs on it";
	}
}

figure measured_once(const timed_work &run, const rules &how, const clock_of &now)
{
	figure f;
	f.work = find_work(run, how, now);
	bench::series growth;
	const auto sample = [&] {
		const double once = run(f.work), more = run(f.work * factor);
		growth.push_back(once > 0 ? more / once : more > 0 ? std::numeric_limits<double>::max() : 0);
		return (more - once) / double(f.work * (factor - 1));
	};
	sample_until_enough(f, sample, how, now);
	judge_growth(f, growth);
	return f;
}

} // namespace

// On a busy machine a launch that is too short may have looked long enough: more work tells that from work that costs
// nothing.
figure per_unit(const timed_work &run, const rules &how, const clock_of &now)
{
	constexpr int attempts = 3;
	rules longer = how;
	figure f = measured_once(run, how, now);
	for (int i = 1; i < attempts && !f.there() && f.work < how.most_work; i++) {
		longer.least_work = std::min(how.most_work, 4 * f.work);
		f = measured_once(run, longer, now);
	}
	return f;
}

figure repeated(const std::function<double()> &sample, const rules &how, const clock_of &now)
{
	figure f;
	sample_until_enough(f, sample, how, now);
	return f;
}

double tick_of(bench::series times)
{
	std::sort(times.begin(), times.end());
	double least = 0;
	for (size_t i = 1; i < times.size(); i++) {
		const double step = times[i] - times[i - 1];
		if (step > 0 && (least == 0 || step < least))
			least = step;
	}
	return least;
}

} // namespace micro
