// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares libhet with CUDA managed memory, with and without prefetch hints, and with copies placed by hand in pinned
// memory.
#include "common/options.h"
#include "common/report.h"
#include "measure/uvm_output.h"

#include <cstdio>

using namespace bench;

namespace
{

struct options {
	common_options common;
	std::string plot;
	std::vector<std::string> traps = {"kmod", "uffd", "uffd-sigbus", "sigsegv"};
	std::vector<std::string> memories = {"malloc", "huge"};
	std::vector<std::string> measures;
	unsigned rounds = 0;
};

std::vector<uvm_subject> subjects_of(const options &o)
{
	std::vector<uvm_subject> all = {
		{"pinned", "", "", "", false}, {"managed", "", "", "", false}, {"managed-prefetch", "", "", "", false}};
	for (const auto &trap : o.traps)
		for (const auto &memory : o.memories)
			all.push_back({"libhet", trap, memory, "adaptive", false});
	const std::string &usual = o.traps[0] == "kmod" && o.traps.size() > 1 ? o.traps[1] : o.traps[0];
	for (const char *spin : {"always", "never"})
		all.push_back({"libhet", usual, "malloc", spin, false});
	all.push_back({"libhet", usual, "malloc", "adaptive", true});
	return all;
}

int run(const options &o)
{
	const unsigned rounds = o.rounds ? o.rounds : o.common.quick ? 3 : 12;
	report out("uvm-compare", {{"quick", o.common.quick}, {"rounds", rounds}, {"bytes", uvm_bytes}});
	const uvm_outcome outcome = run_uvm(subjects_of(o), o.measures, rounds);
	print_uvm_tables(outcome);
	report_uvm(out, outcome);
	if (!o.plot.empty())
		plot_uvm(o.plot, outcome);
	out.write(o.common.json);
	return outcome.results.empty() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line(
		"One array used by the host and a CUDA device in turns: libhet, managed memory, copies by hand.");
	add_common_options(line, o.common);
	line.text("--plot", o.plot, "write a plot to this path, with .svg and .png appended");
	line.list("--trap", o.traps, "libhet's traps", {"kmod", "uffd", "uffd-sigbus", "sigsegv"});
	line.list("--memory", o.memories, "libhet's arrays: malloc, library, huge", {"malloc", "library", "huge"});
	line.list("--measure", o.measures, "these alone: touch, sweep, ... as in the results", uvm_measure_names());
	line.number("--rounds", o.rounds, "how often every way has its turn");
	return line.run(argc, argv, [&] { return run(o); });
}
