// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Where the microseconds of a touch go, by trap and device, beside the two things that it can't do without: the trap's
// fault and the device's copy.
#include "measure/touch_stages.h"

#include "common/format.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/table.h"
#include "measure/bare_touch.h"
#include "measure/devices.h"

#include <algorithm>
#include <map>
#include <memory>
#include <thread>

using namespace bench;

namespace
{

constexpr double patience_s = 120;
// With fewer cores the library's resolvers sleep, too.
constexpr unsigned cores_to_spin = 3;
constexpr unsigned together = 16;

struct options {
	common_options common;
	std::vector<std::string> devices;
	std::vector<std::string> traps;
	std::string spin = "adaptive";
	unsigned rounds = 15;
	unsigned samples = 60;
};

struct measured {
	series all, rounds; // samples, and the medians of the rounds
	void add(const series &round)
	{
		all.insert(all.end(), round.begin(), round.end());
		rounds.push_back(median(round));
	}
};

// One trap on one device.
struct subject {
	touch_subject what;
	std::unique_ptr<child> session, bare; // null where it can't be had
	measured bare_touch, at_once;
	struct cell {
		measured touch, copy, held_touch;
		std::map<std::string, measured> stages;
		size_t fetched = 0;
	};
	std::map<size_t, cell> cells; // by the array's size
};

constexpr size_t sizes[] = {4096, 16 << 20};

std::unique_ptr<child> start_child(const std::function<answer_fn()> &start, const std::string &name, report &out)
{
	auto made = std::make_unique<child>(start);
	try {
		out.document()["library"][name] = made->ask(nullptr, patience_s);
		return made;
	} catch (const std::exception &e) {
		printf("not measured: %s: %s\n", name.c_str(), e.what());
		return nullptr;
	}
}

// A process without the library.
std::unique_ptr<child> start_bare(const std::string &trap, bool spins)
{
	auto made = std::make_unique<child>([=] { return start_bare_touches(trap, spins); });
	try {
		made->ask({{"samples", 1}, {"hold", 0}}, patience_s);
		return made;
	} catch (const std::exception &) {
		return nullptr;
	}
}

void measure(subject &s, const options &o)
{
	auto bare = [&](double hold) {
		return s.bare->ask({{"samples", o.samples}, {"hold", hold}}, patience_s).get<series>();
	};
	if (s.bare)
		s.bare_touch.add(bare(0));
	for (size_t size : sizes) {
		const json a = s.session->ask({{"size", size}, {"samples", o.samples}}, patience_s);
		subject::cell &c = s.cells[size];
		c.touch.add(a["touch"].get<series>());
		c.copy.add(a["copy"].get<series>());
		c.fetched = a["fetched"].get<size_t>();
		if (s.bare)
			c.held_touch.add(bare(c.copy.rounds.back()));
		for (const auto &[name, took] : a["stages"].items())
			c.stages[name].add(took.get<series>());
	}
	const unsigned few = std::max(o.samples / 10, 3u);
	s.at_once.add(s.session->ask({{"together", together}, {"samples", few}}, patience_s)["touch"].get<series>());
}

double p95(series samples)
{
	std::ranges::sort(samples);
	return samples[samples.size() * 95 / 100];
}

std::string median_and_p95(const measured &m)
{
	return m.all.empty() ? "-" : format("%.2f / %.2f", median(m.all), p95(m.all));
}

std::string difference_text(const ratio &r)
{
	return format("%.2f (%.2f to %.2f)", r.median, r.low, r.high);
}

// Returns the difference between the touch and what it can't do without, round by round.
ratio above_floor(const subject &s, const subject::cell &c)
{
	series floor;
	for (size_t i = 0; i < c.copy.rounds.size(); ++i)
		floor.push_back(c.copy.rounds[i] + s.bare_touch.rounds[i]);
	return paired_difference(c.touch.rounds, floor);
}

ratio above_held(const subject::cell &c)
{
	return paired_difference(c.touch.rounds, c.held_touch.rounds);
}

void print(const std::vector<subject> &all, const std::string &device, size_t size)
{
	std::vector<const subject *> shown;
	size_t fetched = 0;
	for (const subject &s : all)
		if (s.what.device == device && s.session) {
			shown.push_back(&s);
			fetched = s.cells.at(size).fetched;
		}
	if (shown.empty())
		return;
	std::vector<std::string> head = {"stage", "which"};
	for (const subject *s : shown)
		head.push_back(s->what.trap);
	table t(format("A touch on device %s that brings %s, µs, median / 95th percentile", device.c_str(),
		       size_text(fetched).c_str()),
		head);
	t.left_columns(2);
	auto row = [&](const std::string &name, const std::string &title, auto text_of) {
		std::vector<std::string> cells = {name, title};
		for (const subject *s : shown)
			cells.push_back(text_of(*s, s->cells.at(size)));
		t.row(cells);
	};
	for (const touch_stage &stage : touch_stages())
		row(stage.name, stage.title, [&](const subject &, const subject::cell &c) {
			auto it = c.stages.find(stage.name);
			return it == c.stages.end() ? "-" : median_and_p95(it->second);
		});
	row("touch", "all of it", [](const subject &, const subject::cell &c) { return median_and_p95(c.touch); });
	row("bare fault", "the trap alone",
	    [](const subject &s, const auto &) { return median_and_p95(s.bare_touch); });
	row("bare copy", "the device's read alone",
	    [](const subject &, const subject::cell &c) { return median_and_p95(c.copy); });
	row("above both", "median (95 % interval)", [](const subject &s, const subject::cell &c) {
		return s.bare ? difference_text(above_floor(s, c)) : std::string("-");
	});
	row("held fault", "the trap alone, shown when a copy would have ended",
	    [](const subject &, const subject::cell &c) { return median_and_p95(c.held_touch); });
	row("above it", "median (95 % interval)", [](const subject &s, const subject::cell &c) {
		return s.bare ? difference_text(above_held(c)) : std::string("-");
	});
	t.print();
}

json with_p95(const measured &m)
{
	return {{"p95", p95(m.all)}, {"rounds", m.rounds}};
}

void put(report &out, const subject &s)
{
	const std::string who = s.what.name();
	auto result = [&](const std::string &name, const measured &m) {
		if (!m.all.empty())
			out.result(name, "us", summarise(m.all), with_p95(m));
	};
	result("bare-fault/" + who, s.bare_touch);
	result(format("together-%u/", together) + who, s.at_once);
	for (const auto &[size, c] : s.cells) {
		const std::string where = who + "/" + std::to_string(size);
		result("touch/" + where, c.touch);
		result("bare-copy/" + where, c.copy);
		result("held-fault/" + where, c.held_touch);
		for (const auto &[name, m] : c.stages)
			result("stage-" + name + "/" + where, m);
		if (!s.bare)
			continue;
		out.difference_of("touch - bare fault - bare copy/" + where, "us", above_floor(s, c));
		out.difference_of("touch - held fault/" + where, "us", above_held(c));
	}
}

void print_together(const std::vector<subject> &all)
{
	table t(format("%u threads touch a chunk each at one moment, µs until the last is served", together),
		{"device", "trap", "median / 95th percentile"});
	t.left_columns(2);
	for (const subject &s : all)
		if (s.session)
			t.row({s.what.device, s.what.trap, median_and_p95(s.at_once)});
	t.print();
}

int run(options o)
{
	if (o.common.quick) {
		o.rounds = 3;
		o.samples = 20;
	}
	const device_choice devices = choose_devices(o.devices);
	report out("touch-stages", {{"rounds", o.rounds}, {"samples", o.samples}, {"spin", o.spin}});
	out.document()["devices"] = devices.descriptions;
	const bool spins =
		o.spin == "always" || (o.spin == "adaptive" && std::thread::hardware_concurrency() >= cores_to_spin);
	std::vector<subject> all;
	for (const auto &device : devices.names)
		for (const auto &trap : o.traps) {
			subject s;
			s.what = {device, trap, o.spin};
			s.session = start_child([w = s.what] { return start_touch_stages(w); }, s.what.name(), out);
			s.bare = s.session ? start_bare(trap, spins) : nullptr;
			all.push_back(std::move(s));
		}
	progress shown("touch-stages", o.rounds * all.size());
	for (unsigned round = 0; round < o.rounds; ++round)
		for (subject &s : all) {
			shown.step(s.what.name());
			if (s.session)
				measure(s, o);
		}
	for (const auto &device : devices.names)
		for (size_t size : sizes)
			print(all, device, size);
	print_together(all);
	for (const subject &s : all)
		if (s.session)
			put(out, s);
	out.write(o.common.json);
	return std::ranges::any_of(all, [](const subject &s) { return s.session != nullptr; }) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	o.traps = {"sigsegv", "uffd-sigbus", "uffd", "kmod"};
	command_line line(
		"Where the time of one host touch goes, beside the trap's fault and the device's copy alone.");
	add_common_options(line, o.common);
	line.list("--device", o.devices, "host, hostcb, opencl0, cuda0, ...; all; default: host and opencl0");
	line.list("--trap", o.traps, "traps to measure", {"sigsegv", "uffd-sigbus", "uffd", "kmod"});
	line.text("--spin", o.spin, "how resolvers wait", {"adaptive", "always", "never"});
	line.number("--rounds", o.rounds, "how often every trap has its turn");
	line.number("--samples", o.samples, "for a round");
	return line.run(argc, argv, [&] { return run(o); });
}
