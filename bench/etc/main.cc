// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// etc-model replays programs on a model of a GPU whose memory is too small for them. See Documentation/etc-model.rst.
#include "common/format.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/table.h"
#include "etc/figures.h"

#include <algorithm>
#include <fstream>
#include <thread>

using namespace bench;

namespace
{

struct options {
	common_options common;
	std::vector<std::string> programs, ways = {"BL", "ETC", "ours"}, memory = {"100", "75", "50"}, settings;
	unsigned factor = 0, threads = 0;
	std::string figures;
};

// Reads a percentage of memory.
unsigned percent_of(const std::string &text)
{
	size_t end = 0;
	unsigned long value = 0;
	try {
		value = std::stoul(text, &end);
	} catch (const std::exception &) {
	}
	if (end != text.size() || value == 0 || value > 1000)
		throw std::invalid_argument("no percentage: " + text);
	return unsigned(value);
}

std::vector<etc::run_key> runs_of(const options &o)
{
	std::vector<etc::run_key> all;
	for (const etc::program &p : etc::all_programs()) {
		if (!o.programs.empty() && std::find(o.programs.begin(), o.programs.end(), p.name) == o.programs.end())
			continue;
		for (const std::string &m : o.memory)
			for (const std::string &w : o.ways)
				all.push_back({p.name, etc::way_named(w).name, percent_of(m)});
	}
	return all;
}

void show_runs(const etc::study &s, const std::vector<etc::run_key> &runs)
{
	table shown("Runs", {"program", "way", "memory", "cycles", "of no limit", "faults", "batches", "evictions",
			     "in", "out", "in place", "running"});
	shown.left_columns(2);
	for (const etc::run_key &k : runs) {
		const etc::result &r = s.of(k);
		const double bytes = double(s.trace_of(k.program).bytes);
		const auto limitless = s.all().find({k.program, "BL", 100});
		shown.row({k.program, k.way, format("%u %%", k.memory), format("%zu", size_t(r.cycles)),
			   limitless == s.all().end()
				   ? ""
				   : format("%.3f", double(limitless->second.cycles) / double(r.cycles)),
			   format("%zu", size_t(r.demand.faults)), format("%zu", size_t(r.demand.batches)),
			   format("%zu", size_t(r.demand.evictions)), format("%.2f", double(r.bytes_in) / bytes),
			   format("%.2f", double(r.bytes_out) / bytes),
			   format("%.2f", double(r.remote_lines) * etc::line_bytes / bytes),
			   format("%.1f", r.running)});
	}
	shown.note("Bytes are those of the arrays: that came, that left, and that were used in place over the bus.");
	shown.print();
}

void show_programs(const etc::study &s)
{
	table shown("Programs", {"program", "class", "as sampled", "lines", "launches share pages", "launches", "KiB",
				 "machine / this"});
	for (const etc::program &p : etc::all_programs()) {
		const auto run = s.all().find({p.name, "BL", 100});
		if (run == s.all().end())
			continue;
		const etc::program_trace &t = s.trace_of(p.name);
		constexpr const char *kinds[] = {"regular", "shared", "irregular", "-"};
		shown.row({p.name, kinds[size_t(p.is)], run->second.regular ? "regular" : "irregular",
			   format("%.1f", run->second.sample_lines),
			   etc::shares_pages(t, s.machine_of(p).page_bytes) ? "yes" : "no",
			   format("%zu", t.launches.size()), format("%zu", size_t(t.bytes >> 10)),
			   format("%u", p.factor)});
	}
	shown.left_columns(3);
	shown.print();
}

void add(report &out, const etc::study &s)
{
	for (const auto &[k, r] : s.all()) {
		const std::string path = format("%s/%s/%u %%/", k.program.c_str(), k.way.c_str(), k.memory);
		out.value(path + "cycles", "cycles", double(r.cycles));
		out.value(path + "bytes in", "bytes", double(r.bytes_in));
		out.value(path + "bytes out", "bytes", double(r.bytes_out));
		out.value(path + "faults", "count", double(r.demand.faults));
		out.value(path + "evictions", "count", double(r.demand.evictions));
		out.value(path + "lines in place", "count", double(r.remote_lines));
	}
}

void draw_figures(const options &o, const etc::study &s, report &out)
{
	const etc::drawn all = etc::draw([&](const etc::run_key &k) -> const etc::result & { return s.of(k); });
	for (const etc::figure &f : all.figures) {
		show(f, f.what == "faults" ? "%.0f" : "%.3f");
		draw(f, o.figures + "/etc-figure");
	}
	show(all.statements);
	out.document()["statements"] = to_json(all.statements);
}

int run(const options &o)
{
	for (const std::string &p : o.programs)
		etc::program_named(p);
	etc::study s(o.settings, o.factor, o.common.quick, o.threads ? o.threads : std::thread::hardware_concurrency());
	const std::vector<etc::run_key> runs = o.figures.empty() ? runs_of(o) : etc::runs_of_figures();
	{
		progress shown("runs", std::set<etc::run_key>(runs.begin(), runs.end()).size());
		s.run(runs, [&](const etc::run_key &k) { shown.step(k.program + ", " + k.way); });
	}
	json machine = json::object();
	for (const etc::parameter &p : etc::parameters_of(s.full_machine()))
		machine[p.name] = p.value;
	report out("etc-model", {{"machine", machine}, {"factor", o.factor}, {"quick", o.common.quick}});
	show_programs(s);
	if (o.figures.empty())
		show_runs(s, runs);
	else
		draw_figures(o, s, out);
	add(out, s);
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Replays programs on a model of a GPU whose memory is too small for their arrays.");
	add_common_options(line, o.common);
	line.list("--program", o.programs, "those to run; all unless told");
	line.list("--way", o.ways, "how to run them");
	line.list("--memory", o.memory, "percent of their arrays that fit");
	line.text("--figures", o.figures, "draw all figures into this folder");
	line.list("--set", o.settings, "NAME=VALUE: a parameter of the machine");
	line.number("--factor", o.factor, "the machine is so many times smaller than the thesis'");
	line.number("--threads", o.threads, "that run at once");
	return line.run(argc, argv, [&] { return run(o); });
}
