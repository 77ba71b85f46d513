// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// pep-model preempts the kernels of the thesis' chapter on PEP on a model of a GPU. See Documentation/pep-model.rst.
#include "common/format.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/table.h"
#include "noc/parallel.h"
#include "pep/figures.h"

#include <cmath>
#include <mutex>
#include <thread>

using namespace bench;

namespace
{

struct options {
	common_options common;
	std::vector<std::string> programs, settings;
	std::string parameters, figures;
	unsigned factor = 1, threads = 0;
	bool fills = false, may_flush = false;
};

std::vector<const pep::program *> programs_of(const options &o)
{
	std::vector<const pep::program *> all;
	for (const std::string &name : o.programs)
		all.push_back(&pep::program_named(name));
	for (const pep::program &p : pep::all_programs())
		if (o.programs.empty())
			all.push_back(&p);
	return all;
}

pep::study_options study_of(const options &o)
{
	pep::study_options s = {.quick = o.common.quick, .fills = o.fills, .may_flush = o.may_flush};
	if (!o.parameters.empty())
		pep::set_from_file(s.of, o.parameters);
	for (const std::string &text : o.settings)
		pep::set(s.of, text);
	s.of = pep::scaled(s.of, o.factor);
	return s;
}

pep::all_measured measure(const options &o, const std::vector<const pep::program *> &programs)
{
	const pep::study_options once = study_of(o);
	pep::study_options twice = once;
	twice.of.processors *= 2;
	constexpr unsigned blocks_of_figure = 9;
	const pep::program *const lbm = &pep::program_named("lbm");
	pep::all_measured all;
	all.kernels.resize(programs.size());
	const bool draws = !o.figures.empty();
	if (draws)
		all.twice.resize(programs.size());
	const size_t runs = programs.size() * (draws ? 2 : 1) + (draws ? 1 : 0);
	progress shown("kernels", runs);
	std::mutex lock;
	noc::in_parallel(o.threads ? o.threads : std::thread::hardware_concurrency(), runs, [&](size_t i) {
		const bool is_split = i == 2 * programs.size(), is_twice = !is_split && i >= programs.size();
		if (is_split)
			all.splits = measure_splits(*lbm, once, blocks_of_figure);
		else
			(is_twice ? all.twice : all.kernels)[i % programs.size()] =
				pep::measure(*programs[i % programs.size()], is_twice ? twice : once);
		std::lock_guard held(lock);
		shown.step(is_split ? lbm->name : programs[i % programs.size()]->name);
	});
	return all;
}

void show_kernels(const std::vector<pep::measured_kernel> &all)
{
	table shown("Kernels", {"kernel", "threads", "registers", "KB a block", "fit", "run", "block, us",
				"instructions", "Chimera", "+ dirty", "PEP", "in-place"});
	for (const pep::measured_kernel &k : all)
		shown.row({k.of->name, format("%u", k.threads), format("%u", k.registers), format("%.1f", k.context_kb),
			   format("%u", k.fit), format("%u", k.blocks), format("%.1f", k.block_us),
			   format("%.0f", k.steps), format("%.2f", k.latency(pep::technique::chimera)),
			   format("%.2f", k.latency(pep::technique::chimera_dirty)),
			   format("%.2f", k.latency(pep::technique::pep)),
			   format("%.2f", k.latency(pep::technique::pep_in_place))});
	shown.note("Latencies are microseconds, in the mean over all runs.");
	shown.print();
}

void add(report &out, const std::vector<pep::measured_kernel> &all, const std::string &prefix)
{
	for (const pep::measured_kernel &k : all) {
		const std::string path = prefix + k.of->name + "/";
		out.value(path + "context", "bytes", k.context_kb * 1024);
		out.value(path + "blocks", "count", k.blocks);
		out.value(path + "block", "us", k.block_us);
		for (const auto &[key, o] : k.runs) {
			const std::string run =
				path + format("%s/%.0f %%/limit %.0f, takes %.0f, predicted %.0f/", name_of(key.by),
					      100 * key.fraction, key.limit, key.takes, key.predicted);
			out.value(run + "latency", "us", o.latency);
		}
	}
}

int run(const options &o)
{
	const pep::all_measured all = measure(o, programs_of(o));
	json machine = json::object();
	for (const model::parameter &p : pep::parameters_of(study_of(o).of))
		machine[p.name] = p.value;
	report out("pep-model",
		   {{"machine", machine}, {"quick", o.common.quick}, {"fills", o.fills}, {"flush", o.may_flush}});
	show_kernels(all.kernels);
	add(out, all.kernels, "");
	add(out, all.twice, "twice/");
	if (!o.figures.empty()) {
		const pep::drawn drawn = pep::draw_all(all);
		for (const bench::figure &f : drawn.figures) {
			show(f, f.id == "t4.1" ? "%.1f" : "%.3f");
			if (!f.groups.empty())
				draw(f, o.figures + "/pep-figure");
		}
		json figures = json::array();
		for (const bench::figure &f : drawn.figures) {
			json groups = json::object();
			for (const bench::figure::group &g : f.groups) {
				json &values = groups[g.name] = json::array();
				for (const double v : g.values)
					values.push_back(std::isnan(v) ? json() : json(v));
			}
			figures.push_back({{"figure", f.id},
					   {"title", f.title},
					   {"what", f.what},
					   {"bars", f.bars},
					   {"groups", groups}});
		}
		out.document()["figures"] = figures;
		show(drawn.statements);
		out.document()["statements"] = to_json(drawn.statements);
	}
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Preempts kernels on a model of a GPU, by proactive checkpoints and otherwise.");
	add_common_options(line, o.common);
	line.list("--program", o.programs, "kernels to run; all unless told");
	line.text("--figures", o.figures, "draw all figures into this folder");
	line.text("--parameters", o.parameters, "a file of NAME=VALUE lines, parameters of the machine");
	line.list("--set", o.settings, "NAME=VALUE: a parameter of the machine");
	line.number("--factor", o.factor, "the machine has so many times fewer processors and less memory");
	line.flag("--fill", o.fills, "processors have as many blocks as fit, not as table 4.1 says");
	line.flag("--flush", o.may_flush, "Chimera may have blocks begin anew");
	line.number("--threads", o.threads, "that run at once");
	return line.run(argc, argv, [&] { return run(o); });
}
