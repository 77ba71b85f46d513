// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what a task costs that does nothing: a launch on the host device, beside StarPU with one worker. Each system
// lives in a process of its own, which is stopped while the others are measured.
#include "measure/tasks.h"
#include "common/child.h"
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>
#include <cstdio>
#include <memory>

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned tasks = 2000, rounds = 60;
};

constexpr double patience_s = 60;

struct task_system {
	std::string name;
	std::unique_ptr<child> process;
};

struct row {
	std::string name;
	task_batch batch;
};

std::vector<row> rows_of(unsigned tasks)
{
	std::vector<row> rows;
	for (bool chain : {false, true})
		for (unsigned n : {0u, 1u, 4u})
			rows.push_back(
				{format("%s, %u argument%s", chain ? "chain" : "independent", n, n == 1 ? "" : "s"),
				 {tasks, n, chain}});
	return rows;
}

task_system in_child(const std::string &name, const std::function<run_tasks()> &start)
{
	auto serve = [start]() -> answer_fn {
		const run_tasks run = start();
		return [run](const json &q) -> json {
			return run({q.at("tasks").get<unsigned>(), q.at("arguments").get<unsigned>(),
				    q.at("chain").get<bool>()});
		};
	};
	return {name, std::make_unique<child>(serve)};
}

double ask(task_system &s, const task_batch &b)
{
	const json question = {{"tasks", b.tasks}, {"arguments", b.arguments}, {"chain", b.chain}};
	return s.process->ask(question, patience_s).get<double>();
}

// Returns times of a row in each system, round by round.
std::vector<series> measure(std::vector<task_system> &systems, const row &r, unsigned rounds)
{
	std::vector<series> times(systems.size());
	for (unsigned round = 0; round <= rounds; round++)
		for (size_t i = 0; i < systems.size(); i++) {
			const size_t turn = (i + round) % systems.size();
			const double us = ask(systems[turn], r.batch);
			if (round) // the first round warms up
				times[turn].push_back(us);
		}
	return times;
}

// Returns that of all but the first with the least median, or 0 if there is none.
size_t best_other(const std::vector<series> &times)
{
	size_t best = times.size() > 1;
	for (size_t i = 2; i < times.size(); i++)
		if (median(times[i]) < median(times[best]))
			best = i;
	return best;
}

int run(options o)
{
	if (o.common.quick) {
		o.tasks = std::min(o.tasks, 200u);
		o.rounds = std::min(o.rounds, 3u);
	}
	std::vector<task_system> systems;
	systems.push_back(in_child("het", [&] { return start_het_tasks(o.tasks); }));
	std::vector<std::string> head = {"µs a task", "het"};
	if (has_starpu())
		for (const char *scheduler : {"eager", "lws"}) {
			const std::string name = scheduler;
			systems.push_back(
				in_child("starpu/" + name, [&o, name] { return start_starpu_tasks(o.tasks, name); }));
			head.push_back("StarPU " + name);
		}
	head.push_back("het / the better one");

	report out("tasks", {{"tasks", o.tasks}, {"rounds", o.rounds}, {"workers", 1}});
	table shown("Tasks that do nothing, one worker; goal at most 1", head);
	for (const row &r : rows_of(o.tasks)) {
		const std::vector<series> times = measure(systems, r, o.rounds);
		std::vector<std::string> cells = {r.name};
		for (size_t i = 0; i < systems.size(); i++) {
			out.result(r.name + "/" + systems[i].name, "us", summarise(times[i]));
			cells.push_back(format("%.2f", median(times[i])));
		}
		if (const size_t best = best_other(times)) {
			const ratio x = paired_ratio(times[0], times[best]);
			out.ratio_of(r.name + "/het / starpu", x, {{"must", 1}, {"against", systems[best].name}});
			cells.push_back(format("%.3f (%.3f to %.3f)", x.median, x.low, x.high));
		} else {
			cells.push_back("-");
		}
		shown.row(cells);
	}
	if (!has_starpu()) {
		const char *missing = "there is nothing to compare with: this was built without StarPU (libstarpu-dev)";
		shown.note(missing);
		out.note(missing);
	}
	shown.print();
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Tasks that do nothing on the host device, against StarPU.");
	add_common_options(line, o.common);
	line.number("--tasks", o.tasks, "submitted before they are waited for");
	line.number("--rounds", o.rounds, "batches of tasks in each system");
	return line.run(argc, argv, [&] { return run(o); });
}
