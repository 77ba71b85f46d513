// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/figures.h"
#include "measure/touch_output.h"
#include "measure/touch_ratio.h"

namespace bench
{

namespace
{

constexpr touch_cell alone = {4096, 0, 0};
constexpr touch_cell crowded = {4096, 64, 0};

touch_plan plan_of(const figure_options &o)
{
	touch_plan plan = {};
	std::vector<std::string> devices = {"host"};
	if (!o.device.empty())
		devices.push_back(o.device);
	for (const auto &d : devices) {
		for (const auto &t : trap_names())
			plan.subjects.push_back({d, t});
		for (const char *spin : {"always", "never"})
			plan.subjects.push_back({d, "uffd", spin});
	}
	plan.cells = {alone, crowded};
	plan.rounds = o.quick ? 5 : 15;
	plan.samples = o.quick ? 60 : 150;
	plan.seconds = o.quick ? 0.2 : 1;
	return plan;
}

constexpr touch_rounds touch = &touch_result::touch_rounds;
constexpr touch_rounds raw = &touch_result::raw_rounds;
constexpr touch_rounds first_write = &touch_result::first_write_rounds;

std::vector<figure> figures_of_device(const touch_outcome &all, const std::string &device)
{
	const touch_subject uffd = {device, "uffd"}, stop = {device, "sigsegv-stop"};
	const std::string on = ", " + device;
	return {must(touch_ratio(all, "uffd touch, 64 live threads / none" + on, uffd, crowded, touch, uffd, alone,
				 touch),
		     figure::bound::at_most, 1.3),
		touch_ratio(all, "sigsegv-stop touch, 64 live threads / none" + on, stop, crowded, touch, stop, alone,
			    touch),
		must(touch_ratio(all, "sigsegv-stop touch / uffd touch, 64 live threads" + on, stop, crowded, touch,
				 uffd, crowded, touch),
		     figure::bound::at_least, 8)};
}

std::vector<figure> first_write_figures(const touch_outcome &all)
{
	auto against_first_write = [&](const std::string &trap, const std::string &spin, const std::string &text) {
		const touch_subject s = {"host", trap, spin};
		return touch_ratio(all, trap + " touch, host device" + text + " / anonymous first write", s, alone,
				   touch, s, alone, first_write);
	};
	return {must(against_first_write("uffd", "adaptive", ""), figure::bound::at_most, 12),
		against_first_write("uffd", "always", ", spinning resolver"),
		against_first_write("uffd", "never", ", sleeping resolver"),
		must(against_first_write("uffd-sigbus", "adaptive", ""), figure::bound::at_most, 4)};
}

} // namespace

std::vector<figure> touch_figures(const figure_options &o, report &out)
{
	const touch_outcome all = run_touch_plan(plan_of(o), "touches");
	print_unavailable(all);
	report_touches(out, all);
	std::vector<figure> figures = first_write_figures(all);
	for (const auto &f : figures_of_device(all, "host"))
		figures.push_back(f);
	if (o.device.empty())
		return figures;
	for (const auto &f : figures_of_device(all, o.device))
		figures.push_back(f);
	const touch_subject uffd = {o.device, "uffd"};
	figures.push_back(must(touch_ratio(all, "uffd touch, 4 KiB / raw blocking read of the same bytes, " + o.device,
					   uffd, alone, touch, uffd, alone, raw),
			       figure::bound::at_most, 1.6));
	return figures;
}

} // namespace bench
