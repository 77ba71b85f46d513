// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/module_costs.h"

#include "common/child.h"
#include "common/format.h"
#include "common/table.h"

#include <exception>

namespace bench
{

namespace
{

constexpr double patience_s = 300;

// Compares costs, and makes a figure of them: @which, divided by @share, against @base.
struct group {
	const char *name; // as results have it
	const char *title;
	json (*measure)(unsigned rounds);
	const char *what;
	const char *which;
	const char *base;
	double share;
	double at_most;
};

const group groups[] = {{"first-touch", "First touch of memory whose bytes are there, µs a touch", first_touch_costs,
			 "touch of data in the alias, 64 pages around, per page / anonymous first touch",
			 "module, 64 pages", "anonymous page", 64, 0.05},
			{"first-write", "First write to a shared chunk of 64 KiB, µs", first_write_costs,
			 "first write to a SHARED chunk / userfaultfd write protection with a thread", "module",
			 "userfaultfd, thread", 1, 0.2},
			{"asking", "Whether a chunk is still touched, and the touch after the question, µs",
			 asking_costs, "question in place and touch / userfaultfd write protection with a thread",
			 "module, 64 KiB", "userfaultfd, thread", 1, 1},
			{"revoke", "64 MiB taken away from the host, µs", revoke_costs,
			 "revoke of 64 MiB in pages of 2 MiB / mprotect of 64 MiB", "module, 2 MiB pages",
			 "mprotect, 4 KiB pages", 1, 1}};

void print_costs(const group &g, const json &costs)
{
	table t(g.title, {"", "median", "quartiles", format("/ %s", g.base)});
	for (const auto &[name, rounds] : costs.items()) {
		const auto seen = rounds.get<series>();
		const summary s = summarise(seen);
		const ratio r = paired_ratio(seen, costs.at(g.base).get<series>());
		t.row({name, short_number(s.median), short_number(s.p25) + " to " + short_number(s.p75),
		       format("%.3f (%.3f to %.3f)", r.median, r.low, r.high)});
	}
	t.print();
}

figure figure_of(const group &g, const json &costs)
{
	auto shares = costs.at(g.which).get<series>();
	for (double &s : shares)
		s /= g.share;
	figure f;
	f.what = g.what;
	f.unit = "x";
	f.value = paired_ratio(shares, costs.at(g.base).get<series>());
	return must(f, figure::bound::at_most, g.at_most);
}

figure measure(const group &g, unsigned rounds, report &out)
{
	try {
		const json costs = in_child([&] { return g.measure(rounds); }, patience_s);
		print_costs(g, costs);
		for (const auto &[name, seen] : costs.items())
			out.result(std::string(g.name) + "/" + name, "us", summarise(seen.get<series>()),
				   {{"rounds", seen}});
		return figure_of(g, costs);
	} catch (const std::exception &e) {
		figure f;
		f.what = g.what;
		f.why_missing = e.what();
		return f;
	}
}

} // namespace

std::vector<figure> module_figures(unsigned rounds, report &out)
{
	std::vector<figure> figures;
	for (const group &g : groups)
		figures.push_back(measure(g, rounds, out));
	return figures;
}

} // namespace bench
