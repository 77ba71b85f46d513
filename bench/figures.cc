// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures the figures that libhet is held to and prints each beside what it must be.
#include "common/format.h"
#include "common/options.h"
#include "measure/devices.h"
#include "measure/figures_output.h"

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
			missed += show_figures(format("Figures: %s", g.name), g.measure(fo, out), out);
	printf("\n%zu missed\n", missed);
	out.write(o.common.json);
	return 0;
}

} // namespace

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
