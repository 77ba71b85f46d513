// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/touch_matrix.h"

#include "common/progress.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace bench
{

namespace
{

struct running {
	touch_subject subject;
	std::unique_ptr<child> session; // null once it failed
};

// Holds everything seen of one subject in one cell.
struct collected {
	std::vector<double> touch, raw, first_write;
	std::vector<double> touch_rounds, raw_rounds, first_write_rounds;
	size_t fetched = 0;

	void add(const touch_samples &s)
	{
		add_round(s.touch, touch, touch_rounds);
		add_round(s.raw, raw, raw_rounds);
		add_round(s.first_write, first_write, first_write_rounds);
		fetched = s.fetched;
	}

      private:
	static void add_round(const std::vector<double> &from, std::vector<double> &all, std::vector<double> &medians)
	{
		all.insert(all.end(), from.begin(), from.end());
		medians.push_back(median(from));
	}
};

touch_result result_of(const touch_subject &s, const touch_cell &c, const collected &all)
{
	return {s,
		c,
		all.fetched,
		summarise(all.touch),
		summarise(all.raw),
		summarise(all.first_write),
		all.touch_rounds,
		all.raw_rounds,
		all.first_write_rounds};
}

// Starts one after the other, so that no one starts while another is measured.
std::vector<running> start_all(const std::vector<touch_subject> &subjects, touch_outcome &outcome)
{
	std::vector<running> runs;
	progress shown("starting a process for each trap", subjects.size());
	for (const auto &s : subjects) {
		runs.push_back({s, std::make_unique<child>([s] { return start_touch_session(s); })});
		try {
			outcome.libraries[s.name()] = greet_touch_session(*runs.back().session);
		} catch (const std::exception &e) {
			outcome.unavailable.push_back({s, e.what()});
			runs.back().session.reset();
		}
		shown.step(s.name());
	}
	return runs;
}

} // namespace

const touch_result *touch_outcome::find(const touch_subject &s, const touch_cell &c) const
{
	auto it = std::find_if(results.begin(), results.end(),
			       [&](const touch_result &r) { return r.subject == s && r.cell == c; });
	return it == results.end() ? nullptr : &*it;
}

touch_outcome run_touch_plan(const touch_plan &plan, const std::string &title)
{
	touch_outcome outcome;
	std::vector<running> runs = start_all(plan.subjects, outcome);

	std::vector<collected> all(runs.size() * plan.cells.size());
	progress shown(title, plan.rounds * all.size());
	for (unsigned round = 0; round < plan.rounds; ++round) {
		for (size_t c = 0; c < plan.cells.size(); ++c) {
			for (size_t r = 0; r < runs.size(); ++r) {
				const touch_cell &cell = plan.cells[c];
				running &run = runs[r];
				shown.step(run.subject.name() + " " + cell.name());
				if (!run.session || (plan.wanted && !plan.wanted(run.subject, cell)))
					continue;
				try {
					all[r * plan.cells.size() + c].add(
						ask_touch_session(*run.session, cell, plan.samples, plan.seconds));
				} catch (const std::exception &e) {
					outcome.unavailable.push_back({run.subject, e.what()});
					run.session.reset();
				}
			}
		}
	}
	for (size_t r = 0; r < runs.size(); ++r)
		for (size_t c = 0; c < plan.cells.size(); ++c)
			if (const auto &seen = all[r * plan.cells.size() + c]; !seen.touch.empty())
				outcome.results.push_back(result_of(runs[r].subject, plan.cells[c], seen));
	return outcome;
}

} // namespace bench
