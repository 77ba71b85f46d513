// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures x <- A x + b on every device, in the five variants of the paper on libgpuvm (2011).
#include "measure/matvec.h"

#include "common/format.h"
#include "common/library.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <cstdio>

using namespace bench;

namespace
{

struct options {
	common_options common;
	matvec_options matvec;
	std::string device;
	std::string arrays = "both";
	std::string touch = "write";
	std::string copy_access = "read-write";
};

struct table_row {
	const char *name;
	double (*get)(const matvec_phases &);
};

const table_row rows[] = {
	{"total", [](const matvec_phases &p) { return p.total; }},
	{"device", [](const matvec_phases &p) { return p.device; }},
	{"copy", [](const matvec_phases &p) { return p.copy; }},
	{"runtime overhead", [](const matvec_phases &p) { return p.overhead; }},
	{"fault handling", [](const matvec_phases &p) { return p.fault; }},
	{"other", [](const matvec_phases &p) { return p.other(); }},
};

void print_phases(const std::string &title, const std::vector<matvec_result> &results)
{
	std::vector<std::string> head = {"µs an iteration"};
	for (const auto &r : results)
		head.push_back(r.variant);
	table t(title, head);
	for (const auto &row : rows) {
		std::vector<std::string> cells = {row.name};
		for (const auto &r : results)
			cells.push_back(format("%.2f", row.get(r.median())));
		t.row(cells);
	}
	std::vector<std::string> errors = {"error against the host"};
	for (const auto &r : results)
		errors.push_back(format("%.1e", r.error));
	t.row(errors);
	t.note(format("medians of %zu interleaved blocks; each row its own median, so they need not add up exactly",
		      results[0].blocks.size()));
	t.print();
}

void report_results(report &out, const std::string &prefix, const std::vector<matvec_result> &results)
{
	for (const auto &r : results) {
		matvec_phases m = r.median();
		out.result(prefix + r.variant, "us", summarise(r.totals()),
			   {{"device", m.device},
			    {"copy", m.copy},
			    {"runtime_overhead", m.overhead},
			    {"fault_handling", m.fault},
			    {"other", m.other()},
			    {"error", r.error},
			    {"rounds", r.totals()}});
	}
}

void print_ratios(report &out, const std::string &prefix, const std::vector<matvec_result> &results, bool edges)
{
	table t("ratios of the totals", {"", "median", "95 % interval", "rounds"});
	for (const auto &which : matvec_ratios(edges)) {
		ratio r = ratio_of(results, which);
		t.row({which.name, format("%.4f", r.median), format("%.4f to %.4f", r.low, r.high),
		       format("%zu", r.rounds)});
		out.ratio_of(prefix + which.name, r, {{"must", which.must}, {"ok", r.median <= which.must}});
	}
	t.print();
}

bool right(const std::vector<matvec_result> &results)
{
	bool fine = true;
	for (const auto &r : results) {
		if (r.error <= matvec_tolerance)
			continue;
		fprintf(stderr, "%s: WRONG RESULT, error %.3g, allowed %.3g\n", r.variant.c_str(), r.error,
			matvec_tolerance);
		fine = false;
	}
	return fine;
}

std::vector<bool> edge_kinds(const std::string &arrays)
{
	if (arrays == "aligned")
		return {false};
	if (arrays == "heap")
		return {true};
	return {false, true};
}

int run(options o)
{
	if (o.common.quick)
		o.matvec.iterations = std::min(o.matvec.iterations, 200u);
	o.matvec.read_touch = o.touch == "read";
	o.matvec.declared_access = o.copy_access == "declared";
	std::vector<std::unique_ptr<device>> devices;
	if (o.device.empty())
		devices = open_all_devices();
	else
		devices.push_back(open_device(o.device));
	std::vector<device *> list;
	for (const auto &d : devices)
		list.push_back(d.get());
	start_library(list);

	report out("matvec", {{"n", o.matvec.n},
			      {"iterations", o.matvec.iterations},
			      {"block", o.matvec.block},
			      {"tuned", o.matvec.tuned},
			      {"copy_access", o.copy_access},
			      {"touch", o.touch}});
	out.document()["library"] = describe_library();
	bool fine = true;
	for (unsigned idev = 0; idev < list.size(); ++idev) {
		device &d = *list[idev];
		out.document()["devices"].push_back(d.describe());
		for (bool edges : edge_kinds(o.arrays)) {
			o.matvec.edges = edges;
			auto results = run_matvec(d, idev, o.matvec);
			const std::string prefix = "matvec/" + d.name() + (edges ? "/heap/" : "/aligned/");
			print_phases(format("matvec, n = %zu, %s, arrays %s edges", o.matvec.n, d.title().c_str(),
					    edges ? "with" : "without"),
				     results);
			report_results(out, prefix, results);
			print_ratios(out, prefix, results, edges);
			fine = right(results) && fine;
		}
	}
	out.write(o.common.json);
	return fine ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line(
		"x <- A x + b with five ways of keeping host and device consistent, in µs an iteration.\n"
		"full-copy: all operands both ways each iteration, the host writes a byte in each page in between\n"
		"auto-sync: hand-placed minimal copies\n"
		"libhet: the library, the host touches nothing\n"
		"libhet-copy: the library, the host writes a byte in each page of everything each iteration\n"
		"libhet-false: the library, the host touches one page of the result each iteration");
	add_common_options(line, o.common);
	line.number("-n", o.matvec.n, "rows and columns");
	line.number("--iterations", o.matvec.iterations, "of each variant");
	line.number("--block", o.matvec.block, "iterations before the next variant has its turn");
	line.text("--device", o.device, "host, opencl0, cuda0, ...; default: every OpenCL device");
	line.text("--arrays", o.arrays, "aligned (no edges), heap (with edges) or both", {"aligned", "heap", "both"});
	line.flag("--tuned", o.matvec.tuned, "a kernel made for speed instead of the plain one, a row a work-item");
	line.text("--touch", o.touch, "what libhet-false does with its page: write or read", {"write", "read"});
	line.text("--copy-access", o.copy_access,
		  "access with which libhet-copy begins kernels: read-write for all operands, so that all of it\n"
		  "travels both ways; or declared, what the kernel needs",
		  {"read-write", "declared"});
	return line.run(argc, argv, [&] { return run(o); });
}
