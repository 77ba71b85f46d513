// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/suite.h"

#include "micro/resume.h"
#include "micro/steadiness.h"

#include <algorithm>
#include <stdexcept>

namespace micro
{

namespace
{

// A sweep has a hundred points or so, and a figure gets its share of the time. What is precise sooner takes less.
rules rules_for(const choice &what)
{
	rules how;
	how.seconds = what.quick ? 0.03 : 0.3;
	how.shortest_ns = what.quick ? 2e5 : 1e6;
	how.precision = what.quick ? 0.02 : 0.01;
	how.least = what.quick ? 5 : 9;
	if (what.smallest) {
		how.seconds = 0;
		how.shortest_ns = 0;
		how.least = 3;
	}
	if (what.planted) {
		how.shortest_ns = 5e3;
		how.precision = 0.02;
		how.seconds = 0.02;
		how.least = 5;
		how.most = 20;
	}
	if (what.seconds > 0) {
		constexpr double seconds_of_full_run = 600;
		how.seconds = 0.3 * what.seconds / seconds_of_full_run;
	}
	return how;
}

void run_one(const test &t, context c)
{
	try {
		t.run(c);
	} catch (const wrong_result &wrong) {
		c.out.err();
		c.out.refuse(t.name, wrong.what(), "a device or a compiler that errs: run it again, and report it");
	} catch (const std::exception &wrong) {
		c.out.refuse(t.name, wrong.what(), "what the message names; --only leaves the test out");
	}
}

} // namespace

std::vector<const test *> chosen_tests(const std::vector<std::string> &only)
{
	std::vector<const test *> chosen;
	for (const test &t : all_tests())
		if (only.empty() || std::find(only.begin(), only.end(), t.name) != only.end())
			chosen.push_back(&t);
	for (const std::string &name : only)
		if (std::none_of(chosen.begin(), chosen.end(), [&](const test *t) { return t->name == name; }))
			throw std::runtime_error("no test '" + name + "': het-bench list shows them");
	return chosen;
}

void run_tests(target &dut, recorder &out, const choice &what, const std::function<void(const std::string &)> &told)
{
	context c{dut, out, rules_for(what)};
	c.quick = what.quick;
	c.placements = what.quick ? 3 : 4;
	c.seed = what.seed;
	if (what.planted)
		c.most_bytes = what.planted_bytes;
	if (what.smallest) {
		c.placements = 1;
		c.most_bytes = 16384;
		c.most_threads = 64;
	}
	const std::vector<const test *> chosen = chosen_tests(what.only);
	steadiness clock(c);
	if (!what.smallest && !what.planted)
		clock.warm_up();
	clock.look("");
	for (const test *t : chosen) {
		if (std::find(what.finished.begin(), what.finished.end(), t->name) != what.finished.end())
			continue;
		c.progress = [&](const std::string &doing) { told(std::string(t->name) + ": " + doing); };
		c.progress("begins");
		run_one(*t, c);
		clock.look(t->name);
		note_finished(out.document(), t->name);
	}
	clock.conclude();
}

} // namespace micro
