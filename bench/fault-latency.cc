// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what one host touch on a device-resident chunk costs, for every trap, beside the device's raw read.
#include "common/options.h"
#include "common/report.h"
#include "measure/devices.h"
#include "measure/touch_output.h"

#include <algorithm>

using namespace bench;

namespace
{

struct options {
	common_options common;
	std::string plot;
	std::vector<std::string> devices;
	std::vector<std::string> traps;
	unsigned rounds = 0;
};

constexpr size_t small = 4096;

// Plans every trap as it is by default. Resolvers that always or never spin have 4 KiB only, where they differ most.
touch_plan plan_of(const options &o, const std::vector<std::string> &devices)
{
	touch_plan plan = {};
	for (const auto &d : devices)
		for (const auto &t : o.traps)
			plan.subjects.push_back({d, t});
	for (const auto &d : devices)
		for (const char *spin : {"always", "never"})
			if (std::find(o.traps.begin(), o.traps.end(), "uffd") != o.traps.end())
				plan.subjects.push_back({d, "uffd", spin});
	for (size_t size : {small, size_t(64) << 10, size_t(2) << 20}) {
		for (unsigned live : {0u, 8u, 64u})
			plan.cells.push_back({size, live, 0});
		for (unsigned busy : {1u, 2u, 8u})
			plan.cells.push_back({size, 0, busy});
	}
	plan.wanted = [](const touch_subject &s, const touch_cell &c) {
		return s.spin == "adaptive" || c.size == small;
	};
	plan.rounds = o.rounds ? o.rounds : o.common.quick ? 2 : 10;
	plan.samples = o.common.quick ? 60 : 200;
	plan.seconds = o.common.quick ? 0.1 : 0.5;
	return plan;
}

int run(const options &o)
{
	const device_choice devices = choose_devices(o.devices);
	const touch_plan plan = plan_of(o, devices.names);
	report out("fault-latency", {{"quick", o.common.quick},
				     {"rounds", plan.rounds},
				     {"samples", plan.samples},
				     {"seconds", plan.seconds}});
	out.document()["devices"] = devices.descriptions;
	const touch_outcome outcome = run_touch_plan(plan, "fault-latency");
	for (const auto &d : devices.names) {
		print_touch_table(outcome, d, false);
		print_touch_table(outcome, d, true);
		print_spin_table(outcome, d, {{small, 0, 0}, {small, 64, 0}, {small, 0, 8}});
	}
	print_unavailable(outcome);
	report_touches(out, outcome);
	if (!o.plot.empty() && !outcome.results.empty())
		plot_touches(o.plot, outcome, devices.names);
	out.write(o.common.json);
	return outcome.results.empty() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	o.traps = trap_names();
	command_line line(
		"Latency of one host touch on data that a device has just written: traps x sizes x other threads.");
	add_common_options(line, o.common);
	line.text("--plot", o.plot, "write a plot to this path, with .svg and .png appended");
	line.list("--device", o.devices, "host, opencl0, ...; all; default: host and opencl0");
	line.list("--trap", o.traps, "traps to measure", trap_names());
	line.number("--rounds", o.rounds, "how often every combination has its turn");
	return line.run(argc, argv, [&] { return run(o); });
}
