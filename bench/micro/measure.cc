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
constexpr double least_growth = 2.5, most_growth = 6;
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

// Finds how much work takes long enough, and longer than what a launch costs by itself.
uint64_t find_work(const timed_work &run, const rules &how, const clock_of &now)
{
	uint64_t work = how.least_work;
	const double end = now() + 2 * how.seconds;
	for (;;) {
		const double took = std::min(run(work), run(work));
		const bool enough =
			took >= how.shortest_ns && std::min(run(factor * work), run(factor * work)) >= 3 * took;
		if (enough || work >= how.most_work || now() > end)
			return work;
		const double more = took > 0 ? std::clamp(1.2 * how.shortest_ns / took, 2.0, 16.0) : 16;
		work = std::min(how.most_work, uint64_t(std::ceil(double(work) * more)));
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

} // namespace

figure per_unit(const timed_work &run, const rules &how, const clock_of &now)
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
