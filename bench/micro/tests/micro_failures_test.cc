// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A device that runs out of memory, refuses a kernel or is lost, at any call: what was measured before is kept, what
// went wrong has its cause and cure, and the run says that it has failed.
#include "common/device_error.h"
#include "micro/resume.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;
using bench::device_error;

namespace
{

const std::vector<std::string> tests = {"banks", "warp"};

// Throws at one call, or from then on if it is lost.
class failing_target final : public target
{
      public:
	failing_target(device_error::kind how, size_t at) : how_(how), at_(at) {}

	std::string name() const override { return of_.name(); }
	std::string title() const override { return of_.title(); }
	json describe() const override { return of_.describe(); }
	const traits &what() const override { return of_.what(); }
	void *allocate(size_t nbytes) override
	{
		call();
		return of_.allocate(nbytes);
	}
	void release(void *buffer) override { of_.release(buffer); }
	void read(void *buffer, size_t offset, void *to, size_t nbytes) override
	{
		call();
		of_.read(buffer, offset, to, nbytes);
	}
	void write(void *buffer, size_t offset, const void *from, size_t nbytes) override
	{
		call();
		of_.write(buffer, offset, from, nbytes);
	}
	double run(const kernel &k, size_t items, size_t group, arguments args) override
	{
		call();
		return of_.run(k, items, group, args);
	}
	double now() const override { return of_.now(); }

	size_t calls() const { return calls_; }

      private:
	void call()
	{
		const size_t n = calls_++;
		if (n == at_ || (how_ == device_error::kind::lost && n > at_))
			throw device_error(how_, "the call that fails");
	}

	planted_target of_{plant{}};
	device_error::kind how_;
	size_t at_, calls_ = 0;
};

choice least()
{
	choice what;
	what.only = tests;
	what.smallest = true;
	return what;
}

constexpr size_t never = SIZE_MAX;

size_t calls_of_run()
{
	failing_target dut(device_error::kind::other, never);
	outcome o;
	run(o, dut, least());
	EXPECT_FALSE(o.records.failed()) << o.document()["refused"].dump();
	return dut.calls();
}

std::vector<std::string> finished(outcome &o)
{
	std::vector<std::string> names;
	for (const json &t : o.document()["finished"])
		names.push_back(t.at("name").get<std::string>());
	return names;
}

// Returns how often the refusals name the call that failed.
size_t times_told(outcome &o, const char *cure)
{
	size_t n = 0;
	for (const json &r : o.document()["refused"]) {
		if (r.at("reason").get<std::string>() != "the call that fails")
			continue;
		n++;
		EXPECT_EQ(r.at("cure").get<std::string>(), cure);
	}
	return n;
}

} // namespace

class failures : public testing::TestWithParam<device_error::kind>
{
};

TEST_P(failures, at_any_call_are_told_and_the_rest_is_kept)
{
	const device_error::kind how = GetParam();
	const bool lost = how == device_error::kind::lost;
	const size_t calls = calls_of_run();
	ASSERT_GT(calls, 30u);
	for (size_t at = 0; at < calls; at += 1 + calls / 7) {
		failing_target dut(how, at);
		outcome o;
		run(o, dut, least());
		EXPECT_TRUE(o.records.failed()) << at;
		EXPECT_EQ(times_told(o, device_error(how, "").cure()), 1u) << at << o.document()["refused"].dump();
		const std::vector<std::string> ran = finished(o);
		EXPECT_TRUE(std::equal(ran.begin(), ran.end(), tests.begin())) << at;
		size_t left = 0;
		for (const json &r : o.document()["refused"])
			left += r.at("reason").get<std::string>() == "the device was lost before";
		// A test that was stopped has neither ended, nor was it left.
		const size_t stopped = tests.size() - ran.size() - left;
		EXPECT_LE(stopped, lost ? 1u : 0u) << at;
		EXPECT_TRUE(lost || left == 0) << at;
		EXPECT_TRUE(at < calls / 2 || !o.document().at("results").empty()) << at;
	}
}

INSTANTIATE_TEST_SUITE_P(kinds, failures,
			 testing::Values(device_error::kind::memory, device_error::kind::build,
					 device_error::kind::lost));

// What was lost is measured by a run that goes on, once the device is there again.
TEST(failures, a_run_goes_on_where_the_device_was_lost)
{
	outcome whole, broken, rest;
	failing_target sound(device_error::kind::other, never), lost(device_error::kind::lost, calls_of_run() / 2);
	run(whole, sound, least());
	run(broken, lost, least());
	ASSERT_LT(finished(broken).size(), tests.size());
	choice what = least();
	what.finished = take_finished(rest.report.document(), broken.document());
	failing_target again(device_error::kind::other, never);
	run(rest, again, what);
	EXPECT_FALSE(rest.records.failed());
	EXPECT_EQ(finished(rest), tests);
	EXPECT_EQ(rest.document()["refused"].dump(), whole.document()["refused"].dump());
	EXPECT_EQ(rest.document()["facts"].size(), whole.document()["facts"].size());
}
