// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "apps/common/sharing.h"

#include "common/clock.h"
#include "common/format.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>

namespace bench
{

namespace
{

// One way of computing.
struct way {
	std::string name;
	std::unique_ptr<het_side> het;
	std::unique_ptr<problem> p;
	series times; // µs
	double error = 0;

	// The host's part is not timed.
	double run(unsigned input)
	{
		p->write(input);
		stopwatch watch;
		p->with_het(*het);
		het->finish();
		const double lap = watch.lap();
		het->count_parts();
		error = std::max(error, p->error(input));
		return lap;
	}
};

way make_way(const application &a, std::string name, const std::vector<het::device> &devices, bool split)
{
	return {std::move(name), std::make_unique<het_side>(devices, split, a.kernels), a.make(nullptr), {}, 0};
}

// The last way is the one with all devices.
series ideal_times(const std::vector<way> &ways)
{
	series ideal;
	for (size_t round = 0; round < ways[0].times.size(); round++) {
		double speed = 0;
		for (size_t i = 0; i + 1 < ways.size(); i++)
			speed += 1 / ways[i].times[round];
		ideal.push_back(1 / speed);
	}
	return ideal;
}

void measure(std::vector<way> &ways, unsigned rounds)
{
	constexpr unsigned first = 3; // they compile, link, and learn how fast devices are
	for (unsigned round = 0; round < rounds + first; round++) {
		for (way &w : ways) {
			const double t = w.run(round % problem::inputs);
			if (round >= first)
				w.times.push_back(t);
		}
	}
}

} // namespace

int measure_sharing(const application &a, const app_options &o, const std::vector<het::device> &devices)
{
	const unsigned rounds = o.small ? 1 : o.common.quick ? std::min(o.rounds, 3u) : o.rounds;
	std::vector<way> ways;
	for (size_t i = 0; i < devices.size(); i++)
		ways.push_back(make_way(a, format("%zu %s", i, devices[i].name()), {devices[i]}, false));
	ways.push_back(make_way(a, "all", devices, true));
	measure(ways, rounds);

	json settings = a.settings;
	settings["rounds"] = rounds;
	report out(a.name + "-sharing", std::move(settings));
	table shown(format("%s, shared", a.title.c_str()), {"devices", "µs", "share of the work", "ideal share"});
	const series ideal = ideal_times(ways);
	const std::map<std::string, double> shares = ways.back().het->shares();
	bool right = true;
	for (const way &w : ways) {
		const bool alone = &w != &ways.back();
		const auto share = shares.find(w.name);
		const double of_ideal = alone ? median(ideal) / median(w.times) : 1;
		out.result(w.name, "us", summarise(w.times));
		shown.row({w.name, format("%.1f", median(w.times)),
			   share == shares.end() ? "-" : format("%.1f %%", 100 * share->second),
			   alone ? format("%.1f %%", 100 * of_ideal) : "-"});
		if (share != shares.end())
			out.value(w.name + "/share", "", share->second);
		right &= w.error <= a.tolerance;
	}
	const ratio r = paired_ratio(ideal, ways.back().times);
	out.result("ideal", "us", summarise(ideal));
	out.ratio_of("ideal / all", r);
	shown.note(format("ideal / all: %.3f (%.3f to %.3f)", r.median, r.low, r.high));
	shown.note(right ? "all results are right" : "WRONG results");
	shown.print();
	out.write(o.common.json);
	return right ? 0 : 1;
}

} // namespace bench
