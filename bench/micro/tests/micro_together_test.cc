// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies at the same time, between a device of which each copy goes through an engine, and the host.
#include "micro/together.h"
#include "outcome.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>

using namespace micro;

namespace
{

// A thread's time, which passes by copies alone, so that nothing depends on what else runs. Turns begin with whole
// seconds.
struct thread_time {
	double t = 0;
	bool in_turn = false;

	double begin_or_end_of_turn()
	{
		in_turn = !in_turn;
		return in_turn ? t = std::floor(t) + 1 : t;
	}
};
thread_local thread_time own_time;

// Takes one copy at a time.
struct engine {
	std::mutex lock;
	double free_from = 0;

	void copy()
	{
		const std::lock_guard<std::mutex> held(lock);
		const bool busy = free_from > own_time.t && free_from < own_time.t + 0.5; // and not from earlier turns
		own_time.t = free_from = (busy ? free_from : own_time.t) + 0.002;
	}
};

struct machine {
	engine up, down;
	bool one_engine = false, fails = false, forgets = false;
};

class slow_target final : public target
{
      public:
	explicit slow_target(machine &m) : m_(m) { traits_.largest = traits_.memory = 1 << 20; }

	std::string name() const override { return "slow0"; }
	std::string title() const override { return "slow"; }
	json describe() const override { return {}; }
	const traits &what() const override { return traits_; }
	void *allocate(size_t nbytes) override { return calloc(nbytes, 1); }
	void release(void *buffer) override { free(buffer); }
	void read(void *buffer, size_t offset, void *to, size_t nbytes) override
	{
		(m_.one_engine ? m_.up : m_.down).copy();
		memcpy(to, static_cast<char *>(buffer) + offset, nbytes);
		if (m_.forgets)
			memset(to, 0, nbytes);
	}
	void write(void *buffer, size_t offset, const void *from, size_t nbytes) override
	{
		if (m_.fails)
			throw std::runtime_error("the device is lost");
		m_.up.copy();
		memcpy(static_cast<char *>(buffer) + offset, from, nbytes);
	}
	double run(const kernel &, size_t, size_t, arguments) override { return 0; }
	double now() const override { return own_time.begin_or_end_of_turn(); }
	std::unique_ptr<target> open(const std::string &) const override { return std::make_unique<slow_target>(m_); }
	std::vector<std::string> alike() const override { return {"slow0", "slow1"}; }

      private:
	machine &m_;
	traits traits_;
};

void run(outcome &o, target &dut)
{
	choice what;
	what.only = {"together"};
	what.smallest = true; // three turns each
	run(o, dut, what);
}

} // namespace

TEST(together, one_engine_is_told_from_two)
{
	for (const bool one : {false, true}) {
		machine m;
		m.one_engine = one;
		slow_target dut(m);
		outcome o;
		run(o, dut);
		const fact *duplex = o.records.find("transfer.duplex"), *engines = o.records.find("copy.engines");
		ASSERT_NE(duplex, nullptr);
		EXPECT_NEAR(duplex->value, one ? 1 : 2, 0.01);
		EXPECT_EQ(engines, nullptr); // three turns are too few to be sure
	}
}

TEST(together, trouble_is_told_and_nothing_hangs)
{
	machine m;
	m.fails = true;
	slow_target dut(m);
	outcome o;
	run(o, dut);
	EXPECT_NE(o.report.document()["refused"].dump().find("the device is lost"), std::string::npos);
	EXPECT_EQ(o.records.find("transfer.duplex"), nullptr);
	EXPECT_FALSE(o.records.failed());
}

TEST(together, bytes_that_do_not_arrive_are_an_error)
{
	machine m;
	m.forgets = true;
	slow_target dut(m);
	outcome o;
	run(o, dut);
	EXPECT_TRUE(o.records.failed());
}

TEST(together, a_planted_device_is_opened_once)
{
	planted_target dut({});
	outcome o;
	run(o, dut);
	EXPECT_EQ(o.records.find("transfer.duplex"), nullptr);
	EXPECT_NE(o.report.document()["refused"].dump().find("opened twice"), std::string::npos);
}

TEST(together, engines_follow_from_both_directions)
{
	const auto engines = [](double both) {
		return engines_fact(duplex_fact(bench::series(9, 50), bench::series(9, 48), bench::series(9, both)),
				    1.01);
	};
	EXPECT_EQ(engines(95).value, 2);
	EXPECT_EQ(engines(50).value, 1);
	EXPECT_EQ(engines(57).is, verdict::not_found); // neither the one nor the other
	EXPECT_EQ(engines_fact(duplex_fact({50, 50}, {48, 48}, {95, 95}), 1).is, verdict::not_found); // too few
	const fact duplex = duplex_fact(bench::series(9, 50), bench::series(9, 48), bench::series(9, 95));
	EXPECT_EQ(engines_fact(duplex, 1.9).is, verdict::not_found); // one copy does not fill its way
	EXPECT_EQ(duplex_fact({}, {48}, {50}).is, verdict::not_found);
	EXPECT_NEAR(duplex_fact({50, 50, 50}, {48, 48, 48}, {90, 90, 90}).value, 1.8, 1e-9);
}
