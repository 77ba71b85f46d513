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

// A way of computing has its devices, and its times.
struct way {
	std::string name;
	het_side::way how;
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

way make_way(const application &a, std::string name, const std::vector<het::device> &devices, het_side::way how)
{
	return {std::move(name), how, std::make_unique<het_side>(devices, how, a.kernels), a.make(nullptr), {}, 0};
}

series ideal_times(const std::vector<way> &ways)
{
	series ideal;
	for (size_t round = 0; round < ways[0].times.size(); round++) {
		double speed = 0;
		for (const way &w : ways)
			speed += w.how == het_side::way::alone ? 1 / w.times[round] : 0;
		ideal.push_back(1 / speed);
	}
	return ideal;
}

constexpr unsigned untimed = 3; // kernels compile and link in these rounds, and the runtime learns how fast devices are

void measure(std::vector<way> &ways, unsigned rounds)
{
	for (unsigned round = 0; round < rounds + untimed; round++) {
		for (way &w : ways) {
			const double t = w.run(round % problem::inputs);
			if (round >= untimed)
				w.times.push_back(t);
		}
	}
}

// Tells what it costs that nothing says what is written, for each MiB that may have been.
void tell_of_blind(const way &blind, const way &all, unsigned rounds, report &out, table &shown)
{
	const double mib = double(blind.het->blind_bytes()) / (rounds + untimed) / (1 << 20);
	series costs;
	for (size_t i = 0; i < all.times.size(); i++)
		costs.push_back((blind.times[i] - all.times[i]) / mib);
	const summary s = summarise(costs);
	out.result("twins", "us/MiB", s);
	shown.note(format("all, blind: %.1f µs more for each of %.2f MiB that may be written (quartiles %.1f to %.1f)",
			  s.median, mib, s.p25, s.p75));
}

} // namespace

int measure_sharing(const application &a, const app_options &o, const std::vector<het::device> &devices)
{
	const unsigned rounds = o.small ? 1 : o.common.quick ? std::min(o.rounds, 3u) : o.rounds;
	std::vector<way> ways;
	for (size_t i = 0; i < devices.size(); i++)
		ways.push_back(make_way(a, format("%zu %s", i, devices[i].name()), {devices[i]}, het_side::way::alone));
	if (o.twins)
		ways.push_back(make_way(a, "all, blind", devices, het_side::way::blind));
	ways.push_back(make_way(a, "all", devices, het_side::way::split));
	measure(ways, rounds);

	json settings = a.settings;
	settings["rounds"] = rounds;
	report out(a.name + "-sharing", std::move(settings));
	table shown(format("%s, shared", a.title.c_str()), {"devices", "µs", "share of the work", "ideal share"});
	const series ideal = ideal_times(ways);
	const std::map<std::string, double> shares = ways.back().het->shares();
	bool right = true;
	for (const way &w : ways) {
		const bool alone = w.how == het_side::way::alone;
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
	if (o.twins)
		tell_of_blind(*(ways.end() - 2), ways.back(), rounds, out, shown);
	shown.note(right ? "all results are right" : "WRONG results");
	shown.print();
	out.write(o.common.json);
	return right ? 0 : 1;
}

} // namespace bench
