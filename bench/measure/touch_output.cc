// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/touch_output.h"

#include "common/format.h"
#include "common/plot.h"
#include "common/table.h"

#include <algorithm>
#include <set>

namespace bench
{

namespace
{

bool of_kind(const touch_cell &c, bool busy)
{
	return busy ? c.live == 0 : c.busy == 0;
}

// Returns the thread numbers that occur; no thread at all belongs to both kinds.
std::vector<unsigned> thread_counts(const touch_outcome &o, bool busy)
{
	std::set<unsigned> counts;
	for (const auto &r : o.results)
		if (of_kind(r.cell, busy))
			counts.insert(busy ? r.cell.busy : r.cell.live);
	return {counts.begin(), counts.end()};
}

std::vector<std::string> measured_traps(const touch_outcome &o)
{
	std::vector<std::string> names;
	for (const auto &name : trap_names())
		if (std::any_of(o.results.begin(), o.results.end(),
				[&](const touch_result &r) { return r.subject.trap == name; }))
			names.push_back(name);
	return names;
}

std::set<size_t> sizes(const touch_outcome &o)
{
	std::set<size_t> all;
	for (const auto &r : o.results)
		all.insert(r.cell.size);
	return all;
}

touch_cell cell_of(size_t size, unsigned threads, bool busy)
{
	return busy ? touch_cell{size, 0, threads} : touch_cell{size, threads, 0};
}

std::string threads_text(const touch_cell &c)
{
	if (c.live || c.busy)
		return format("%u %s", c.live + c.busy, c.busy ? "busy" : "live");
	return "0 threads";
}

std::string median_and_p99(const summary &s)
{
	return short_number(s.median) + " / " + short_number(s.p99);
}

} // namespace

void print_touch_table(const touch_outcome &o, const std::string &device, bool busy)
{
	const auto counts = thread_counts(o, busy);
	std::vector<std::string> head = {"trap", "array", "brought"};
	for (unsigned n : counts) {
		head.push_back(format("%u threads", n));
		head.push_back("raw read");
	}
	table t(format("One host touch on device %s, µs, median / p99; other threads of the process %s", device.c_str(),
		       busy ? "never sleep" : "work 10 µs and sleep 1 ms"),
		head);
	t.left_columns(2);
	for (const auto &trap : trap_names()) {
		for (size_t size : sizes(o)) {
			std::vector<std::string> cells = {trap, size_text(size), ""};
			for (unsigned n : counts) {
				const touch_result *r = o.find({device, trap}, cell_of(size, n, busy));
				cells.push_back(r ? median_and_p99(r->touch) : "-");
				cells.push_back(r ? short_number(r->raw.median) : "-");
				if (r)
					cells[2] = size_text(r->fetched);
			}
			if (!cells[2].empty())
				t.row(cells);
		}
	}
	t.note("raw read: the device's own blocking read of the bytes that the touch brought, same process, same "
	       "rounds");
	t.print();
}

void print_spin_table(const touch_outcome &o, const std::string &device, const std::vector<touch_cell> &cells)
{
	std::vector<std::string> head = {"trap", "resolver"};
	for (const touch_cell &c : cells)
		head.push_back(threads_text(c));
	head.insert(head.end(), {"first write", "touch / first write"});
	table t(format("Resolvers on device %s, %s, µs, median / p99", device.c_str(),
		       size_text(cells[0].size).c_str()),
		head);
	t.left_columns(2);
	for (const auto &trap : trap_names()) {
		for (const char *spin : {"adaptive", "always", "never"}) {
			const touch_subject s = {device, trap, spin};
			const touch_result *first = o.find(s, cells[0]);
			if (!first)
				continue;
			std::vector<std::string> row = {trap, spin};
			for (const touch_cell &c : cells) {
				const touch_result *r = o.find(s, c);
				row.push_back(r ? median_and_p99(r->touch) : "-");
			}
			ratio r = paired_ratio(first->touch_rounds, first->first_write_rounds);
			row.push_back(short_number(first->first_write.median));
			row.push_back(format("%.2f (%.2f to %.2f)", r.median, r.low, r.high));
			t.row(row);
		}
	}
	t.note("first write: of a page of fresh anonymous memory (no huge pages), same process, same rounds");
	t.print();
}

void print_unavailable(const touch_outcome &o)
{
	for (const auto &m : o.unavailable)
		printf("not measured: %s: %s\n", m.subject.name().c_str(), m.why.c_str());
}

void report_touches(report &out, const touch_outcome &o)
{
	out.document()["library"] = o.libraries;
	for (const auto &r : o.results) {
		const std::string where = r.subject.name() + "/" + r.cell.name();
		out.result("touch/" + where, "us", r.touch, {{"fetched", r.fetched}, {"rounds", r.touch_rounds}});
		out.result("raw/" + where, "us", r.raw, {{"bytes", r.fetched}, {"rounds", r.raw_rounds}});
		out.result("first-write/" + where, "us", r.first_write, {{"rounds", r.first_write_rounds}});
	}
	for (const auto &m : o.unavailable)
		out.note("not measured: " + m.subject.name() + ": " + m.why);
}

namespace
{

// Makes one data block: the number of threads, then a column for each trap, then the raw read beside uffd.
std::string plot_data(const touch_outcome &o, const std::string &device, bool busy, const std::string &block)
{
	std::string text = "$" + block + " << EOD\n";
	for (unsigned n : thread_counts(o, busy)) {
		text += format("\"%u\"", n);
		const touch_cell c = cell_of(4096, n, busy);
		for (const auto &trap : measured_traps(o)) {
			const touch_result *r = o.find({device, trap}, c);
			text += r ? format(" %.3f %.3f", r->touch.median, r->touch.p99) : " NaN NaN";
		}
		const touch_result *raw = o.find({device, "uffd"}, c);
		text += raw ? format(" %.3f %.3f\n", raw->raw.median, raw->raw.p99) : " NaN NaN\n";
	}
	return text + "EOD\n";
}

std::string plot_panel(const touch_outcome &o, const std::string &device, bool busy, const std::string &block)
{
	std::string text =
		"set title " + gnuplot_string("device " + device) + "\nset xlabel " +
		gnuplot_string(busy ? "threads that never sleep" : "threads that work 10 µs and sleep 1 ms") +
		"\nplot ";
	std::vector<std::string> names = measured_traps(o);
	names.push_back("raw read");
	for (size_t i = 0; i < names.size(); ++i)
		text += format("%s$%s using 0:%zu:xtic(1) title %s with linespoints lw 2 pt %zu lc %zu, "
			       "$%s using 0:%zu notitle with lines dt 2 lc %zu",
			       i ? ", " : "", block.c_str(), 2 + 2 * i, gnuplot_string(names[i]).c_str(), 5 + i, 1 + i,
			       block.c_str(), 3 + 2 * i, 1 + i);
	return text + "\n";
}

} // namespace

void plot_touches(const std::string &base, const touch_outcome &o, const std::vector<std::string> &devices)
{
	std::string data, panels;
	for (size_t d = 0; d < devices.size(); ++d) {
		for (bool busy : {false, true}) {
			std::string block = format("d%zu%s", d, busy ? "busy" : "live");
			data += plot_data(o, devices[d], busy, block);
			panels += plot_panel(o, devices[d], busy, block);
		}
	}
	plot(base,
	     data +
		     format("set multiplot layout %zu,2 title "
			    "'One host touch, 4 KiB: median (solid) and p99 (dashed)'\n",
			    devices.size()) +
		     "set logscale y\nset ylabel 'µs'\nset grid ytics\nset key outside right\nset offsets "
		     "0.2,0.2,0,0\n" +
		     panels + "unset multiplot\n",
	     1300, 120 + 380 * unsigned(devices.size()));
}

} // namespace bench
