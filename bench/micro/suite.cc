// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/suite.h"

#include "common/device_error.h"
#include "micro/resume.h"
#include "micro/steadiness.h"

#include <algorithm>
#include <optional>
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

// A device is gone when a call says so; others may still do what remains.
enum class state : uint8_t { there, lost };

// Does a part of the run. What stops it is said.
template <typename F> state guarded(const char *name, recorder &out, const F &part)
{
	try {
		part();
	} catch (const wrong_result &wrong) {
		out.fail(name, wrong.what(), "a device or a compiler that errs: run it again, and report it");
	} catch (const bench::device_error &wrong) {
		out.fail(name, wrong.what(), wrong.cure());
		return wrong.why() == bench::device_error::kind::lost ? state::lost : state::there;
	} catch (const std::exception &wrong) {
		out.fail(name, wrong.what(), "what the message names; --only leaves the test out");
	}
	return state::there;
}

constexpr char reference[] = "reference/arithmetic";

// Tells the clock's changes, where the kernel that shows them can run at all.
class watch
{
      public:
	explicit watch(const context &c) : c_(c) {}

	state begin(bool warm)
	{
		return guarded(reference, c_.out, [&] {
			clock_.emplace(c_);
			if (warm)
				clock_->warm_up();
			clock_->look("");
		});
	}
	state look(const char *after)
	{
		return guarded(reference, c_.out, [&] {
			if (clock_)
				clock_->look(after);
		});
	}
	void conclude()
	{
		if (clock_)
			clock_->conclude();
	}

      private:
	context c_;
	std::optional<steadiness> clock_;
};

bool is_finished(const choice &what, const test &t)
{
	return std::find(what.finished.begin(), what.finished.end(), t.name) != what.finished.end();
}

// Runs the tests that were not run yet, and returns how many have begun: fewer than all if the device was lost.
size_t run_all(context &c, const choice &what, std::span<const test *const> chosen, watch &clock,
	       const std::function<void(const std::string &)> &told)
{
	if (clock.begin(!what.smallest && !what.planted) == state::lost)
		return 0;
	for (size_t i = 0; i < chosen.size(); i++) {
		const test &t = *chosen[i];
		if (is_finished(what, t))
			continue;
		c.progress = [&](const std::string &doing) { told(std::string(t.name) + ": " + doing); };
		c.progress("begins");
		context own = c;
		if (guarded(t.name, c.out, [&] { t.run(own); }) == state::lost)
			return i + 1;
		const state after = clock.look(t.name);
		note_finished(c.out.document(), t.name);
		if (after == state::lost)
			return i + 1;
	}
	return chosen.size();
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
	c.rates_only = what.rates_only;
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
	watch clock(c);
	const size_t begun = run_all(c, what, chosen, clock, told);
	for (size_t i = begun; i < chosen.size(); i++)
		if (!is_finished(what, *chosen[i]))
			out.refuse(chosen[i]->name, "the device was lost before",
				   "--continue with this run's JSON file runs it");
	clock.conclude();
}

} // namespace micro
