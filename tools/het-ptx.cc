// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// het-ptx looks at PTX, instruments it, runs it without a GPU, and compares it.
#include "ptx/diff.h"
#include "ptx/info.h"
#include "ptx/input.h"
#include "ptx/passes/pass.h"
#include "ptx/run.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <sstream>

#ifndef HET_VERSION
#define HET_VERSION "(unknown version)"
#endif

namespace
{

using het::ptx::module;

int info(const std::string &file, bool as_json)
{
	std::vector<module> modules;
	if (!tool::read_modules(file, &modules))
		return 2;
	tool::json all = tool::json::array();
	for (const auto &m : modules)
		all.push_back(tool::describe(m));
	if (as_json) {
		std::cout << all.dump("  ") << '\n';
		return 0;
	}
	for (const auto &m : all)
		tool::print(m);
	return 0;
}

int diff(const std::string &a, const std::string &b)
{
	std::vector<module> before, after;
	if (!tool::read_modules(a, &before) || !tool::read_modules(b, &after))
		return 2;
	if (before.size() != after.size()) {
		printf("%zu texts, and %zu\n", before.size(), after.size());
		return 1;
	}
	bool any = false;
	for (size_t i = 0; i < before.size(); i++)
		any = tool::print_differences(before[i], after[i]) || any;
	return any ? 1 : 0;
}

struct instrument_request {
	std::string file, passes, out = "-", sites;
	unsigned text = 0; // counts from 1; 0 means the only one
	het::ptx::pass_options with;
};

tool::json sites_of(const std::string &pass, const het::ptx::pass_result &result)
{
	tool::json all = tool::json::array();
	for (const auto &s : result.sites)
		all.push_back({{"pass", pass},
			       {"function", s.function},
			       {"line", s.at.line},
			       {"column", s.at.column},
			       {"instruction", s.text}});
	return all;
}

// Reads the text of a file that is to be changed.
bool read_one(const instrument_request &r, module *out)
{
	std::vector<module> modules;
	if (!tool::read_modules(r.file, &modules))
		return false;
	if (r.text > modules.size() || (!r.text && modules.size() > 1)) {
		fprintf(stderr, "het-ptx: %s: %zu texts; choose one with --text\n", r.file.c_str(), modules.size());
		return false;
	}
	*out = std::move(modules[r.text ? r.text - 1 : 0]);
	return true;
}

// Applies the passes in order.
int instrument(const instrument_request &r)
{
	module m;
	if (!read_one(r, &m))
		return 2;
	const std::string &file = r.file;
	tool::json sites = tool::json::array();
	std::stringstream list(r.passes);
	for (std::string name; std::getline(list, name, ',');) {
		auto *pass = het::ptx::find_pass(name);
		if (!pass) {
			fprintf(stderr, "het-ptx: there is no pass %s\n", name.c_str());
			return 2;
		}
		auto result = pass->apply(m, r.with);
		if (result.refused) {
			fprintf(stderr, "%s:%s (pass %s)\n", file.c_str(), result.refused->describe().c_str(),
				name.c_str());
			return 1;
		}
		for (const auto &b : result.blind)
			fprintf(stderr, "%s:%s (pass %s)\n", file.c_str(), b.describe().c_str(), name.c_str());
		for (const auto &s : sites_of(name, result))
			sites.push_back(s);
		if (auto wrong = het::ptx::parse(std::move(result.text), m)) {
			fprintf(stderr, "het-ptx: pass %s made a bad text: %s\n", name.c_str(),
				wrong->describe().c_str());
			return 2;
		}
	}
	if (!r.sites.empty() && !tool::write_file(r.sites, sites.dump("  ") + "\n"))
		return 2;
	if (r.out == "-")
		std::cout << m.text;
	else if (!tool::write_file(r.out, m.text))
		return 2;
	return 0;
}

std::string names_of_passes()
{
	std::string all;
	for (const auto &p : het::ptx::all_passes())
		all += (all.empty() ? "" : ", ") + std::string(p.name);
	return all;
}

int run(const std::vector<std::string> &files, const tool::run_request &request, bool as_json)
{
	std::vector<module> modules;
	for (const auto &file : files)
		if (!tool::read_modules(file, &modules))
			return 2;
	return tool::run(std::move(modules), request, as_json);
}

} // namespace

int main(int argc, char **argv)
{
	CLI::App app{"Looks at PTX, instruments it, runs it without a GPU, and compares it."};
	app.set_version_flag("--version", "het-ptx " HET_VERSION);
	app.require_subcommand(1);
	std::string first, second;
	bool as_json = false;
	std::vector<std::string> files;
	tool::run_request request;

	auto *info_command = app.add_subcommand("info", "kernels, parameters, instructions, registers");
	info_command->add_option("file", first, "a PTX text, or a program that contains some")->required();
	info_command->add_flag("--json", as_json, "print one JSON document");

	auto *run_command = app.add_subcommand("run", "runs a kernel in the interpreter");
	run_command->add_option("files", files, "PTX texts that refer to each other")->required();
	run_command->add_option("--kernel", request.kernel, "its name; not needed if there is one");
	run_command->add_option("--grid", request.grid, "blocks: X[,Y[,Z]]");
	run_command->add_option("--block", request.block, "threads of a block: X[,Y[,Z]]");
	run_command->add_option("--shared", request.shared_bytes, "bytes of dynamic shared memory");
	run_command
		->add_option("--arg", request.arguments,
			     "one for each parameter: TYPE:NUMBER, in:FILE, out:FILE:BYTES, inout:FILE, zero:BYTES, "
			     "show:TYPE:COUNT, bytes:FILE, struct:KIND:VALUE,...")
		->expected(1)
		->take_all();
	run_command
		->add_option("--set", request.variables, "NAME=KIND:VALUE: what a variable of the modules is at first")
		->expected(1)
		->take_all();
	auto &with = request.with;
	run_command->add_flag("--independent", with.independent, "every lane goes its own way");
	run_command->add_option("--seed", with.seed, "of the order of independent lanes");
	run_command->add_option("--resident", with.resident_blocks, "blocks that take turns");
	run_command->add_option("--limit", with.most_instructions, "instructions of warps, before the run is ended");
	run_command->add_flag("--check-defined", with.check_defined, "uses of what was never written");
	run_command->add_flag("--check-races", with.check_races, "races in shared memory");
	run_command->add_flag("--check-barriers", with.check_barriers, "barriers that parts of a warp reach");
	run_command->add_flag("--statistics", with.statistics,
			      "of each instruction, its memory lines, pages and banks");
	run_command->add_flag("--json", as_json, "print one JSON document");

	instrument_request change;
	auto *instrument_command = app.add_subcommand("instrument", "adds counters and the like to kernels");
	instrument_command->add_option("file", change.file)->required();
	instrument_command
		->add_option("--pass", change.passes,
			     "with commas between, in the order in which they are applied: " + names_of_passes())
		->required();
	instrument_command->add_option("-o", change.out,
				       "where to write the new text; the standard output if not given");
	instrument_command->add_option("--sites", change.sites,
				       "where to write which instructions have counters, as JSON");
	instrument_command
		->add_option("--master-call", change.with.master_calls,
			     "uniform-simt: a function outside of the text that one lane calls for its warp")
		->expected(1)
		->take_all();
	instrument_command->add_flag("--racy-loads", change.with.racy_loads,
				     "uniform-simt: loads may race with stores of other threads");
	instrument_command->add_option("--text", change.text, "which text of a file with several, from 1")
		->check(CLI::PositiveNumber);

	auto *diff_command = app.add_subcommand("diff", "statements that differ");
	diff_command->add_option("before", first)->required();
	diff_command->add_option("after", second)->required();
	CLI11_PARSE(app, argc, argv);

	if (*info_command)
		return info(first, as_json);
	if (*run_command)
		return run(files, request, as_json);
	if (*instrument_command)
		return instrument(change);
	return diff(first, second);
}
