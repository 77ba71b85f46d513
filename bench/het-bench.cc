// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// het-bench finds out what a device is like. See Documentation/het-bench.rst.
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "micro/compare.h"
#include "micro/explain.h"
#include "micro/figures.h"
#include "micro/homogeneity.h"
#include "micro/page.h"
#include "micro/profile.h"
#include "micro/real.h"
#include "micro/resume.h"
#include "micro/suite.h"
#include "micro/tables.h"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <stdexcept>

using namespace micro;

namespace
{

struct options {
	bench::common_options common;
	std::string what = "run", device, from, page, fail_above, earlier;
	std::vector<std::string> operands;
	choice chosen;
	float seconds = 0;
};

// Is thrown between two figures, and is no error that a test may have.
struct interrupted {
};

volatile sig_atomic_t signalled = 0;

void remember(int signal)
{
	signalled = signal;
}

// Runs tests until all have run, or a signal says that what was measured until then is enough. Signals are remembered
// after that, too, until the results are written.
void run_until_stopped(target &dut, recorder &records, const choice &chosen, bench::progress &bar)
{
	signal(SIGINT, remember);
	signal(SIGTERM, remember);
	std::string last;
	try {
		run_tests(dut, records, chosen, [&](const std::string &doing) {
			if (signalled)
				throw interrupted();
			const std::string name = doing.substr(0, doing.find(':'));
			if (!last.empty() && name != last)
				bar.step(doing);
			last = name;
		});
	} catch (const interrupted &) {
		records.warn(last, "the run was interrupted here",
			     "--continue with its JSON file runs the tests that lack");
	}
}

int list()
{
	for (const test &t : all_tests())
		printf("%-16s %s\n", t.name, t.what);
	printf("\ndevices:");
	for (const std::string &name : real_names())
		printf(" %s", name.c_str());
	printf("\n");
	return 0;
}

json results_in(const std::string &path)
{
	std::ifstream f(path);
	if (!f)
		throw std::runtime_error("can't read " + path + ": give the JSON file of a run");
	return json::parse(std::string(std::istreambuf_iterator<char>(f), {}));
}

json older_results(const options &o)
{
	if (o.from.empty())
		throw std::runtime_error(o.what + " needs --from with the JSON file of a run");
	return results_in(o.from);
}

int show_why(const options &o)
{
	if (o.operands.size() != 1)
		throw std::runtime_error("explain needs the name of one fact, such as l1.size");
	fputs(explain(older_results(o), o.operands[0]).c_str(), stdout);
	return 0;
}

// Compares the first results with each of the others.
int show_differences(const options &o)
{
	if (o.operands.size() < 2)
		throw std::runtime_error("compare needs the JSON files of two runs or more");
	const double share = o.fail_above.empty() ? -1 : share_of_text(o.fail_above);
	const json first = results_in(o.operands[0]);
	size_t worse = 0;
	for (size_t i = 1; i < o.operands.size(); i++) {
		const comparison c = compare(first, results_in(o.operands[i]));
		fputs(comparison_text(c, o.operands[0], o.operands[i]).c_str(), stdout);
		worse += share >= 0 ? count_worse(c, share) : 0;
	}
	if (worse)
		printf("%zu figures are worse by more than %s\n", worse, o.fail_above.c_str());
	return worse ? 1 : 0;
}

int make_figures(const options &o)
{
	if (o.page.empty())
		throw std::runtime_error("figures needs --report with the folder to write to");
	fputs(write_figures(older_results(o), o.page).c_str(), stdout);
	return 0;
}

// Measures one device as far as others are compared with it.
json likeness_of(const std::string &name, const choice &chosen)
{
	const auto dut = open_real(name);
	bench::report out("het-bench", {{"device", dut->name()}});
	out.document()["device"] = dut->describe();
	recorder records(out);
	choice what = chosen;
	what.only = {"homogeneity"};
	run_tests(*dut, records, what, [](const std::string &) {});
	if (records.failed())
		throw std::runtime_error(name + " failed: het-bench --only homogeneity --device " + name + " says why");
	return out.document();
}

// Compares the results that are given, or the devices of this machine of one kind.
int compare_devices(options o)
{
	o.chosen.quick = o.common.quick;
	o.chosen.seconds = double(o.seconds);
	std::vector<json> documents;
	for (const std::string &path : o.operands)
		documents.push_back(results_in(path));
	if (o.operands.empty())
		for (const std::string &name : names_like(o.device.empty() ? real_names().front() : o.device))
			documents.push_back(likeness_of(name, o.chosen));
	bench::report out("het-bench", {{"quick", o.chosen.quick}, {"seed", o.chosen.seed}});
	out.document()["device"] = {{"title", std::to_string(documents.size()) + " devices"}};
	recorder records(out);
	add_homogeneity(documents, out, records);
	fputs(tables_of(out.document()).c_str(), stdout);
	out.write(o.common.json);
	return 0;
}

int make_page(const options &o)
{
	if (o.page.empty())
		throw std::runtime_error("page needs --report with the folder to write to");
	write_page(older_results(o), o.page);
	return 0;
}

// Each test tells more often than once what it does; the bar counts tests.
int measure(options o)
{
	if (o.what == "profile") {
		o.common.quick = true;
		o.chosen.rates_only = o.chosen.only.empty();
		if (o.chosen.only.empty())
			o.chosen.only = {"bandwidth", "arithmetic", "launch", "transfers"};
	}
	if (o.what == "examples" && o.chosen.only.empty())
		o.chosen.only = {"bandwidth", "cache-bandwidth", "arithmetic", "roofline", "local-bandwidth", "banks",
				 "warp",      "atomics",         "resident",   "examples"};
	o.chosen.quick = o.common.quick;
	o.chosen.seconds = double(o.seconds);
	const size_t tests = chosen_tests(o.chosen.only).size();
	const auto dut = open_real(o.device.empty() ? real_names().front() : o.device);
	bench::report out("het-bench", {{"quick", o.chosen.quick}, {"seed", o.chosen.seed}, {"device", dut->name()}});
	out.document()["device"] = dut->describe();
	// Who continues such a run with all curves would lack those of its tests.
	if (o.chosen.rates_only)
		out.document()["settings"]["rates only"] = true;
	recorder records(out);
	if (!o.earlier.empty())
		o.chosen.finished = take_finished(out.document(), results_in(o.earlier));
	{
		bench::progress bar("het-bench, " + dut->title(), tests);
		run_until_stopped(*dut, records, o.chosen, bar);
	}
	fputs(tables_of(out.document()).c_str(), stdout);
	// Neither a second signal nor a page that can't be made takes the results with it.
	out.write(o.common.json);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (o.what == "profile")
		printf("\n%s\n", keep_profile(out.document()).c_str());
	if (!o.page.empty())
		write_page(out.document(), o.page);
	// A test that goes wrong is worse than a figure that can't be had.
	return records.failed() ? 1 : signalled ? 128 + signalled : 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	bench::command_line line(
		"Finds out what a device is like: its memory, caches and arithmetic, and how sure that is.");
	line.text("what", o.what,
		  "run: measure a device; list: name tests and devices; explain: why a fact is what it is; "
		  "profile: keep what het-info shows; page, figures: --report from older results; "
		  "compare: what differs beyond both spreads; homogeneity: devices of one kind, or results of several; "
		  "examples: programs in stages, against what the other tests predict",
		  {"page", "profile", "run", "list", "explain", "compare", "figures", "homogeneity", "examples"});
	line.list("of", o.operands, "of explain: l1.size, ...; of compare and homogeneity: JSON files");
	line.text("--from", o.from, "results that explain, page and figures read");
	line.text("--continue", o.earlier,
		  "results of a run that was interrupted: its tests that ended are not run again");
	line.text("--fail-above", o.fail_above, "compare ends with 1 if a figure is worse by more: 5%");
	add_common_options(line, o.common);
	line.text("--report", o.page, "write a page with plots into this folder");
	line.text("--device", o.device, "cuda0, opencl0, host, ...; default: the first of het-bench list");
	line.list("--only", o.chosen.only, "these tests alone");
	line.flag("--smallest", o.chosen.smallest, "the least of everything: shows that the tests run, nothing else");
	line.number("--time", o.seconds, "seconds for all tests, roughly");
	line.number("--seed", o.chosen.seed, "of the random orders and places");
	return line.run(argc, argv, [&] {
		if (o.what == "list")
			return list();
		if (o.what == "explain")
			return show_why(o);
		if (o.what == "compare")
			return show_differences(o);
		if (o.what == "figures")
			return make_figures(o);
		if (o.what == "homogeneity")
			return compare_devices(o);
		return o.what == "page" ? make_page(o) : measure(o);
	});
}
