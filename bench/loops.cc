// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Loops of a kernel and a host that touches some of what it wrote, with foresight and without, in turns; and of a host
// that writes what the kernel needs, with sending ahead and without.
#include "measure/loops.h"

#include "common/format.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/table.h"
#include "measure/devices.h"

#include <algorithm>
#include <memory>

using namespace bench;

namespace
{

constexpr double patience_s = 300;

struct options {
	common_options common;
	std::vector<std::string> devices;
	std::vector<std::string> patterns;
	size_t mebibytes = 64;
	unsigned rounds = 64;
	unsigned samples = 9;
};

struct samples {
	series with, without, learning, timed, in_vain;
};

bool is_wanted(const options &o, const loop_pattern &p)
{
	return o.patterns.empty() || std::ranges::find(o.patterns, p.name) != o.patterns.end();
}

// One for each way.
using children = std::vector<std::unique_ptr<child>>;

std::vector<samples> measure(const children &ways, const std::string &device, const options &o)
{
	const auto &patterns = loop_patterns();
	std::vector<samples> all(patterns.size());
	progress shown("loops on " + device, o.samples * patterns.size());
	for (unsigned sample = 0; sample < o.samples; ++sample)
		for (size_t i = 0; i < patterns.size(); ++i) {
			shown.step(patterns[i].name);
			if (!is_wanted(o, patterns[i]))
				continue;
			json answers[2];
			for (unsigned turn : {sample % 2, 1 - sample % 2})
				answers[turn] = ways[size_t(turn ? patterns[i].with : patterns[i].without)]->ask(
					patterns[i].name, patience_s);
			all[i].without.push_back(answers[0]["us"].get<double>());
			all[i].with.push_back(answers[1]["us"].get<double>());
			all[i].learning.push_back(answers[1]["learning"].get<double>());
			all[i].timed.push_back(answers[1]["timed"].get<double>());
			all[i].in_vain.push_back(answers[1]["in_vain"].get<double>());
		}
	return all;
}

void measure_device(report &out, const std::string &device, const options &o)
{
	children ways;
	for (loop_way way : {loop_way::plain, loop_way::foresight, loop_way::sending})
		ways.push_back(std::make_unique<child>([=, &o] {
			return start_loops({device, o.mebibytes << 20, o.rounds, way});
		}));
	json about;
	for (auto &way : ways)
		about = way->ask(nullptr, patience_s);
	out.document()["devices"].push_back(about["device"]);
	out.document()["library"] = about["library"];
	const std::vector<samples> all = measure(ways, device, o);

	table t(format("Loops over %zu MiB, %s: kernel and host, µs a round of %u, after as many to learn in",
		       o.mebibytes, about["title"].get<std::string>().c_str(), o.rounds),
		{"the host", "without", "with", "with / without", "at most", "MiB ahead", "in vain"});
	for (size_t i = 0; i < all.size(); ++i) {
		const samples &s = all[i];
		if (s.with.empty())
			continue;
		const loop_pattern &p = loop_patterns()[i];
		const ratio r = paired_ratio(s.with, s.without);
		const double ahead = median(s.learning) + median(s.timed), in_vain = median(s.in_vain);
		const std::string where = device + "/" + p.name;
		out.result(where + "/without", "us", summarise(s.without), {{"rounds", s.without}});
		out.result(where + "/with", "us", summarise(s.with),
			   {{"rounds", s.with},
			    {"bytes_ahead_learning", median(s.learning)},
			    {"bytes_ahead_timed", median(s.timed)},
			    {"bytes_in_vain", in_vain}});
		out.ratio_of(where + "/with / without", r, {{"must", p.limit}, {"ok", r.median <= p.limit}});
		t.row({p.title, format("%.1f", median(s.without)), format("%.1f", median(s.with)),
		       format("%.3f (%.3f to %.3f)", r.median, r.low, r.high), format("%.2f", p.limit),
		       format("%.0f + %.0f", median(s.learning) / (1 << 20), median(s.timed) / (1 << 20)),
		       ahead > 0 ? format("%.0f %%", 100 * in_vain / ahead) : "-"});
	}
	t.note("MiB ahead: what came home at ends of kernels, while learning and while timed, or of a host that writes "
	       "all "
	       "bytes what was sent before begins; in vain: as the library tells, of both");
	t.note("with / without: foresight; of a host that writes all bytes, sending ahead");
	t.print();
}

int run(options o)
{
	if (o.common.quick)
		o.samples = std::min(o.samples, 3u);
	const device_choice devices = choose_devices(o.devices);
	report out("loops", {{"bytes", o.mebibytes << 20}, {"rounds", o.rounds}, {"samples", o.samples}});
	for (const auto &name : devices.names)
		measure_device(out, name, o);
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line(
		"Loops of a kernel and a host that touches some of what it wrote: with foresight and without.");
	add_common_options(line, o.common);
	line.list("--device", o.devices, "host, opencl0, cuda0, ...; all; default: host and opencl0");
	line.list("--pattern", o.patterns, "these alone", loop_pattern_names());
	line.number("--mebibytes", o.mebibytes, "size of the arrays together");
	line.number("--rounds", o.rounds, "kernels to learn in, and as many that are timed");
	line.number("--samples", o.samples, "of each pattern and way");
	return line.run(argc, argv, [&] { return run(o); });
}
