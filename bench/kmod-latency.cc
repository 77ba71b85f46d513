// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what the kernel module gains: touches of device data against the other traps, and its own paths against what
// does the same without it. `make bench-vm` runs this in a guest.
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "measure/devices.h"
#include "measure/figures_output.h"
#include "measure/module_costs.h"
#include "measure/touch_output.h"
#include "measure/touch_ratio.h"

#include <stdexcept>
#include <unistd.h>

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned rounds = 0;
	bool alone = false;

	// Returns how many other threads there are.
	std::vector<unsigned> busy() const { return alone ? std::vector{0u} : std::vector{0u, 2u, 8u, 16u}; }
};

constexpr size_t small = 4096, usual = 64 << 10, large = 2 << 20;
constexpr touch_cell alone = {small, 0, 0}, crowded = {small, 0, 16};
// The toucher's own signal handler may copy on the first, and only resolvers may on the second.
const std::vector<std::string> devices = {"host", "hostcb"};

touch_plan plan_of(const options &o)
{
	touch_plan plan = {};
	plan.rounds = o.rounds ? o.rounds : o.common.quick ? 3 : 7;
	plan.samples = o.common.quick ? 30 : 50;
	plan.seconds = o.common.quick ? 0.1 : 0.15;
	return plan;
}

touch_plan plan_by_program(const options &o)
{
	touch_plan plan = plan_of(o);
	for (const auto &d : devices)
		for (const auto &t : trap_names())
			plan.subjects.push_back({d, t});
	for (const char *t : {"uffd", "kmod"})
		for (const char *spin : {"always", "never"})
			plan.subjects.push_back({"hostcb", t, spin});
	for (size_t size : {small, usual, large})
		for (unsigned busy : o.busy())
			plan.cells.push_back({size, 0, busy});
	plan.wanted = [](const touch_subject &s, const touch_cell &c) {
		return c.size == small || (s.spin == "adaptive" && s.device == "hostcb");
	};
	return plan;
}

// The other traps answer EFAULT, so they are not asked.
touch_plan plan_by_system(const options &o)
{
	touch_plan plan = plan_of(o);
	plan.subjects = {{"hostcb", "uffd"}, {"hostcb", "kmod"}};
	for (unsigned busy : o.busy())
		plan.cells.push_back({small, 0, busy, true});
	return plan;
}

std::string median_text(const touch_outcome &o, const touch_subject &s, const touch_cell &c)
{
	const touch_result *r = o.find(s, c);
	return r ? short_number(r->touch.median) : "-";
}

void print_system_table(const options &o, const touch_outcome &by_program, const touch_outcome &by_system)
{
	table t("A touch by a load, and by write(2) of the data to a pipe: device hostcb, 4 KiB, µs",
		{"trap", "busy threads", "load", "write(2)"});
	for (const char *trap : {"uffd", "kmod"}) {
		for (unsigned busy : o.busy()) {
			const touch_subject s = {"hostcb", trap};
			t.row({trap, format("%u", busy), median_text(by_program, s, {small, 0, busy}),
			       median_text(by_system, s, {small, 0, busy, true})});
		}
	}
	t.note("write(2) of data that is there is part of the latter");
	t.print();
}

constexpr touch_rounds touch = &touch_result::touch_rounds;

std::string circumstances(const std::string &device, const touch_cell &c)
{
	return format(", %s, %u busy threads, %s", size_text(c.size).c_str(), c.busy, device.c_str());
}

figure against_stopping(const touch_outcome &all, const std::string &device, const touch_cell &c)
{
	return touch_ratio(all, "sigsegv-stop touch / kmod touch" + circumstances(device, c), {device, "sigsegv-stop"},
			   c, touch, {device, "kmod"}, c, touch);
}

const char *better_uffd(const touch_outcome &all, const std::string &device, const touch_cell &c)
{
	const touch_result *thread = all.find({device, "uffd"}, c), *handler = all.find({device, "uffd-sigbus"}, c);
	return handler && (!thread || handler->touch.median < thread->touch.median) ? "uffd-sigbus" : "uffd";
}

figure against_uffd(const touch_outcome &all, const std::string &device, const touch_cell &c)
{
	const char *best = better_uffd(all, device, c);
	return touch_ratio(all, format("kmod touch / %s touch, the best of uffd", best) + circumstances(device, c),
			   {device, "kmod"}, c, touch, {device, best}, c, touch);
}

figure against_spinning_uffd(const touch_outcome &all, const std::string &device, const touch_cell &c)
{
	return touch_ratio(all, "kmod touch / uffd touch, resolvers that spin" + circumstances(device, c),
			   {device, "kmod", "always"}, c, touch, {device, "uffd", "always"}, c, touch);
}

std::vector<figure> touch_figures(const options &o, const touch_outcome &all)
{
	std::vector<figure> figures;
	for (const auto &d : devices)
		if (!o.alone)
			figures.push_back(must(against_stopping(all, d, crowded), figure::bound::at_least, 15));
	for (const auto &d : devices)
		figures.push_back(must(against_uffd(all, d, alone), figure::bound::at_most, 0.7));
	figures.push_back(against_spinning_uffd(all, "hostcb", alone));
	return figures;
}

int run(const options &o)
{
	if (access("/dev/gpuvm", R_OK | W_OK))
		throw std::runtime_error("/dev/gpuvm can't be opened; `make bench-vm` measures in a guest that has it");
	report out("kmod-latency", {{"quick", o.common.quick}});
	out.document()["devices"] = choose_devices(devices).descriptions;

	std::vector<figure> figures = module_figures(o.common.quick ? 5 : 30, out);
	const touch_outcome by_system = run_touch_plan(plan_by_system(o), "touches by system calls");
	report_touches(out, by_system);
	const touch_outcome by_program = run_touch_plan(plan_by_program(o), "touches");
	report_touches(out, by_program);
	for (const auto &d : devices)
		print_touch_table(by_program, d, true);
	std::vector<touch_cell> cells;
	for (unsigned busy : o.busy())
		cells.push_back({small, 0, busy});
	print_spin_table(by_program, "hostcb", cells);
	print_system_table(o, by_program, by_system);
	print_unavailable(by_program);

	for (const figure &f : touch_figures(o, by_program))
		figures.push_back(f);
	const size_t missed = show_figures("Figures: the kernel module", figures, out);
	printf("\n%zu missed\n", missed);
	out.write(o.common.json);
	return by_program.results.empty() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line(
		"What the kernel module gains: touches against the other traps, its own paths against what does the "
		"same without it.");
	add_common_options(line, o.common);
	line.flag("--alone", o.alone, "no other threads");
	line.number("--rounds", o.rounds, "how often every touch has its turn");
	return line.run(argc, argv, [&] { return run(o); });
}
