// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// het-run runs a kernel of a fat binary on files or made data, on one device or on several, and tells who did what.
#include "run/bytes.h"
#include "run/devices.h"
#include "run/memory.h"
#include "run/report.h"
#include "run/timeline.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

#ifndef HET_VERSION
#define HET_VERSION "(unknown version)"
#endif

namespace
{

using namespace tool::run;

struct command {
	std::string file, section, kernel, global, local, offset, policy, timeline, memory;
	std::vector<std::string> arguments, devices;
	unsigned repeat = 1;
	int priority = 0;
	double deadline_ms = 0;
	bool is_check = false, is_unsafe = false, as_json = false;

	bool is_split() const { return devices.size() > 1 || (devices.size() == 1 && devices[0] == "all"); }
};

// The library has read its environment before main().
void set_policy(const std::string &policy, char **argv)
{
	const char *now = getenv("HET_POLICY");
	if (policy.empty() || (now && policy == now))
		return;
	setenv("HET_POLICY", policy.c_str(), 1);
	execv("/proc/self/exe", argv);
	throw std::runtime_error("--policy: the program can't start itself again: set HET_POLICY instead");
}

extent same_dimensions(const std::string &text, const extent &global, const std::string &what)
{
	extent e = text.empty() ? extent{global.dimensions, {}} : parse_extent(text, what);
	if (e.dimensions != global.dimensions)
		throw std::runtime_error(what + " " + text + " has not as many dimensions as --global");
	return e;
}

request make_request(const command &c, const het::program &program)
{
	request r;
	r.kernel = het::kernel(program, c.kernel.c_str());
	r.global = parse_extent(c.global, "--global");
	r.local = same_dimensions(c.local, r.global, "--local");
	r.offset = same_dimensions(c.offset, r.global, "--offset");
	r.is_split = c.is_split();
	r.is_unsafe = c.is_unsafe;
	r.repeat = c.repeat;
	r.priority = c.priority;
	r.deadline_ns = uint64_t(c.deadline_ms * 1e6);
	return r;
}

// Returns the device that did most, as it can run the kernel.
het::device main_device(const outcome &o)
{
	const auto &parts = o.launches.back().parts;
	if (parts.empty())
		throw std::runtime_error("--check: nobody knows who did what");
	return std::ranges::max_element(parts, {}, &part::work_items)->device;
}

// Runs the same on one device alone, and returns whether there is no difference.
bool check(request r, const std::vector<argument> &arguments, const outcome &o)
{
	het::device one = main_device(o);
	r.is_split = false;
	auto differences = compare(arguments, o, launch(r, arguments, {one}));
	for (const std::string &sentence : differences)
		fprintf(stderr, "het-run: --check: %s\n", sentence.c_str());
	return differences.empty();
}

void write_outputs(const std::vector<argument> &arguments, const outcome &o)
{
	for (size_t n = 0; n < arguments.size(); n++)
		if (!arguments[n].out.empty())
			write_file(arguments[n].out, o.bytes[n]);
}

void write_timeline(const std::string &path, const request &r, const outcome &o)
{
	std::string text = make_timeline(r, o).dump() + "\n";
	auto *first = reinterpret_cast<const std::byte *>(text.data());
	write_file(path, {first, first + text.size()});
}

int run(const command &c)
{
	if (c.is_check && !c.is_split())
		throw std::runtime_error("--check compares several devices with one: say --device all");
	auto sources = het::sources().file(c.file.c_str()).section(c.section.empty() ? nullptr : c.section.c_str());
	const request r = make_request(c, het::program(sources));
	const auto arguments = bind_arguments(r.kernel, c.arguments, r.work_items());
	const auto devices = find_devices(c.devices);
	if (!c.memory.empty())
		limit_memory(c.memory, arguments, devices);
	const outcome o = launch(r, arguments, devices);
	write_outputs(arguments, o);
	if (!c.timeline.empty())
		write_timeline(c.timeline, r, o);
	json report = describe(r, arguments, o);
	if (!c.memory.empty()) {
		report["memory"] = describe_memory(devices);
		report["memory_uses"] = describe_uses(o);
	}
	bool same = !c.is_check || check(r, arguments, o);
	if (c.is_check)
		report["same_as_on_one_device"] = same;
	if (c.as_json)
		std::cout << report.dump("  ") << '\n';
	else
		print(report);
	return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	CLI::App app{"Runs a kernel of a fat binary on files or made data, on one device or on several."};
	app.set_version_flag("--version", "het-run " HET_VERSION);
	app.footer(argument_help);
	command c;
	app.add_option("file", c.file, "a fat binary")->required();
	app.add_option("kernel", c.kernel, "its name")->required();
	app.add_option("--section", c.section, "of an executable, that is a fat binary");
	app.add_option("--global", c.global, "work-items: N[,M[,K]]")->required();
	app.add_option("--local", c.local, "work-items a group, as above; else the library chooses");
	app.add_option("--offset", c.offset, "ids of the first work-item, as above");
	app.add_option("--arg", c.arguments, "an argument, see below")->allow_extra_args(false);
	app.add_option("--device", c.devices,
		       "number or name; all, or several: they share each launch; else the library chooses")
		->allow_extra_args(false);
	app.add_option("--policy", c.policy, "how they share it: single, static, dynamic, hguided, steal");
	app.add_flag("--unsafe", c.is_unsafe, "they share it even if the fat binary says that this is unsafe");
	app.add_option("--repeat", c.repeat, "launches, one after another on the same arrays")
		->check(CLI::PositiveNumber);
	app.add_option("--priority", c.priority, "how urgent they are: -8 to 7")->check(CLI::Range(-8, 7));
	app.add_option("--deadline", c.deadline_ms,
		       "milliseconds in which each is to have ended; those that were late are told")
		->check(CLI::Range(0.000001, 1e12));
	app.add_option("--memory", c.memory,
		       "of each device: bytes, or a part of the arrays (75%), so that they do not fit");
	app.add_flag("--check", c.is_check, "do the same on one device as well, and compare");
	app.add_option("--timeline", c.timeline, "a file for chrome://tracing or Perfetto");
	app.add_flag("--json", c.as_json, "print one JSON document");

	CLI11_PARSE(app, argc, argv);
	try {
		set_policy(c.policy, argv);
		return run(c);
	} catch (const std::exception &wrong) {
		fprintf(stderr, "het-run: %s\n", wrong.what());
		return 1;
	}
}
