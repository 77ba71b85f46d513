// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures the figures that libhet is held to and prints each beside what it must be.
#include "measure/figures.h"

#include "common/format.h"
#include "common/options.h"
#include "common/table.h"
#include "measure/devices.h"

#include <algorithm>

using namespace bench;

namespace
{

struct options {
	common_options common;
	std::string device;
	std::vector<std::string> only;
};

struct group {
	const char *name;
	std::vector<figure> (*measure)(const figure_options &, report &);
};

const group groups[] = {
	{"touch", touch_figures}, {"matvec", matvec_figures}, {"calls", call_figures}, {"memory", memory_figures}};

std::vector<std::string> group_names()
{
	std::vector<std::string> names;
	for (const auto &g : groups)
		names.push_back(g.name);
	return names;
}

std::string number(double v, const std::string &unit)
{
	if (unit == "x")
		return format("%.3f", v);
	return short_number(v) + " " + unit;
}

std::string measured_text(const figure &f)
{
	std::string text = number(f.value.median, f.unit);
	if (f.value.rounds > 1)
		text += " (" + number(f.value.low, f.unit) + " to " + number(f.value.high, f.unit) + ")";
	return text;
}

std::string must_text(const figure &f)
{
	if (f.must_be == figure::bound::none)
		return "-";
	return (f.must_be == figure::bound::at_most ? "<= " : ">= ") + number(f.limit, f.unit);
}

std::string verdict(const figure &f)
{
	if (!f.why_missing.empty())
		return "not measured";
	if (f.must_be == figure::bound::none)
		return "";
	return f.ok() ? "ok" : "missed";
}

void report_figure(report &out, const figure &f)
{
	json more = {{"verdict", verdict(f)}, {"must", must_text(f)}, {"unit", f.unit}};
	if (f.why_missing.empty())
		out.ratio_of(f.what, f.value, more);
	else
		out.note(f.what + ": " + f.why_missing);
}

// Returns how many figures were missed.
size_t show_group(const group &g, const figure_options &o, report &out)
{
	table t(format("Figures: %s", g.name), {"what", "measured", "must be", ""});
	size_t missed = 0;
	for (const auto &f : g.measure(o, out)) {
		t.row({f.what, f.why_missing.empty() ? measured_text(f) : f.why_missing, must_text(f), verdict(f)});
		report_figure(out, f);
		missed += verdict(f) == "missed";
	}
	t.note("ratios: median of interleaved rounds, with its 95 % interval");
	t.print();
	return missed;
}

int run(const options &o)
{
	std::vector<std::string> wanted;
	if (!o.device.empty())
		wanted = {o.device};
	const device_choice devices = choose_devices(wanted);
	figure_options fo = {o.common.quick, devices.names.back() == "host" ? "" : devices.names.back()};
	report out("figures", {{"quick", o.common.quick}});
	out.document()["devices"] = devices.descriptions;

	size_t missed = 0;
	for (const auto &g : groups)
		if (o.only.empty() || std::find(o.only.begin(), o.only.end(), g.name) != o.only.end())
			missed += show_group(g, fo, out);
	printf("\n%zu missed\n", missed);
	out.write(o.common.json);
	return 0;
}

} // namespace

bool figure::ok() const
{
	return must_be == bound::at_least ? value.median >= limit : value.median <= limit;
}

int main(int argc, char **argv)
{
	options o;
	command_line line("Measures the figures that libhet is held to: what, measured, must be, ok or missed.\n"
			  "How long make check takes is not measured here.");
	add_common_options(line, o.common);
	line.text("--device", o.device, "device beside the host device; default: opencl0");
	line.list("--only", o.only, "groups to measure", group_names());
	return line.run(argc, argv, [&] { return run(o); });
}
