// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/uvm_output.h"

#include "common/format.h"
#include "common/plot.h"
#include "common/table.h"

namespace bench
{

namespace
{

const std::string reference = "managed";

bool has(const uvm_result &r, const std::string &measure)
{
	auto found = r.rounds.find(measure);
	return found != r.rounds.end() && !found->second.empty();
}

std::string ratio_text(const ratio &r)
{
	return format("%.3f (%.3f to %.3f)", r.median, r.low, r.high);
}

} // namespace

// Compares each way with managed memory without hints, round by round.
void print_uvm_tables(const uvm_outcome &o)
{
	const uvm_result *managed = o.find(reference);
	for (const auto &m : uvm_measures()) {
		if (o.results.empty() || !has(o.results[0], m.name))
			continue;
		table t(m.title, {"way", "median µs", "p25", "p75", "p99", "/ managed"});
		for (const auto &r : o.results) {
			if (!has(r, m.name))
				continue;
			const summary s = summarise(r.samples.at(m.name));
			std::vector<std::string> cells = {r.subject.name()};
			for (double v : {s.median, s.p25, s.p75, s.p99})
				cells.push_back(short_number(v));
			cells.push_back(
				managed ? ratio_text(paired_ratio(r.rounds.at(m.name), managed->rounds.at(m.name)))
					: "-");
			t.row(cells);
		}
		t.print();
	}
	for (const auto &why : o.unavailable)
		printf("not measured: %s\n", why.c_str());
}

void report_uvm(report &out, const uvm_outcome &o)
{
	const uvm_result *managed = o.find(reference);
	out.document()["devices"] = json(std::vector<json>{o.device});
	for (const auto &r : o.results) {
		if (!r.library.is_null())
			out.document()["library"][r.subject.name()] = r.library;
		for (const auto &m : uvm_measures()) {
			if (!has(r, m.name))
				continue;
			const std::string name = std::string(m.name) + "/" + r.subject.name();
			out.result(name, "us", summarise(r.samples.at(m.name)), {{"rounds", r.rounds.at(m.name)}});
			if (managed && &r != managed)
				out.ratio_of(name + " / managed",
					     paired_ratio(r.rounds.at(m.name), managed->rounds.at(m.name)));
		}
	}
	for (const auto &why : o.unavailable)
		out.note("not measured: " + why);
}

namespace
{

// Returns the results of the first trap, as it is by default, and what it is compared with: more bars than that nobody
// can read.
std::vector<const uvm_result *> results_to_plot(const uvm_outcome &o)
{
	std::vector<const uvm_result *> all;
	std::string trap;
	for (const auto &r : o.results) {
		if (trap.empty())
			trap = r.subject.trap;
		if (r.subject.trap.empty() || (r.subject.trap == trap && r.subject.spin == "adaptive"))
			all.push_back(&r);
	}
	return all;
}

// Makes a line for each measure: its name, then median and quartiles of each result, in parts of what managed memory
// takes. An array that managed memory has left on the host, where a touch costs nothing, is left out.
std::string plot_data(const std::vector<const uvm_result *> &results, const uvm_result &managed)
{
	std::string data;
	for (const auto &m : uvm_measures()) {
		if (!has(managed, m.name))
			continue;
		const double whole = summarise(managed.samples.at(m.name)).median;
		if (whole < 1)
			continue;
		data += format("\"%s\"", m.name);
		for (const uvm_result *r : results) {
			const summary s = summarise(r->samples.at(m.name));
			data += format(" %.5f %.5f %.5f", s.median / whole, s.p25 / whole, s.p75 / whole);
		}
		data += "\n";
	}
	return data;
}

} // namespace

void plot_uvm(const std::string &base, const uvm_outcome &o)
{
	const uvm_result *managed = o.find(reference);
	if (!managed)
		return;
	const auto results = results_to_plot(o);
	std::string script =
		"$d << EOD\n" + plot_data(results, *managed) + "EOD\n" +
		"set title 'One array used by host and GPU in turns: time, managed memory = 1; whiskers: quartiles'\n"
		"set style data histograms\nset style histogram errorbars gap 1 lw 1\nset style fill solid 0.8\n"
		"set logscale y\nset grid ytics\nset key outside below\nset xtics rotate by -15\nplot ";
	for (size_t i = 0; i < results.size(); ++i)
		script += format("%s$d using %zu:%zu:%zu:xtic(1) title %s", i ? ", " : "", 2 + 3 * i, 3 + 3 * i,
				 4 + 3 * i, gnuplot_string(results[i]->subject.name()).c_str());
	plot(base, script + "\n", 1300, 640);
}

} // namespace bench
