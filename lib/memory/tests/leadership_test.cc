// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/leadership.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

using het::leadership;

namespace
{

void in_threads(unsigned n, auto body)
{
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < n; i++)
		threads.emplace_back([=] { body(i); });
	for (auto &t : threads)
		t.join();
}

TEST(leadership, one_leads_at_a_time)
{
	constexpr unsigned members = 4, turns = 500;
	leadership lead;
	// Not atomic: two leaders at once would lose counts, and ThreadSanitizer would see them.
	unsigned count = 0;
	in_threads(members, [&](unsigned me) {
		for (unsigned i = 0; i < turns; i++) {
			EXPECT_TRUE(lead.acquire(me));
			count++;
			lead.release();
		}
	});
	EXPECT_EQ(count, members * turns);
}

TEST(leadership, who_steps_out_alone_is_leader_again)
{
	leadership lead;
	lead.acquire(3);
	for (int i = 0; i < 100; i++) {
		lead.step_out();
		EXPECT_TRUE(lead.step_in(3));
	}
	lead.release();
	lead.acquire(0);
	EXPECT_FALSE(lead.step_in(3)) << "another leads";
	EXPECT_FALSE(lead.step_in(0)) << "it is not out";
	lead.release();
}

// acquire() returns for the standby while the leader stays out: else this test does not end.
TEST(leadership, the_lead_of_who_stays_out_is_taken)
{
	leadership lead;
	lead.acquire(0);
	for (int i = 0; i < 20; i++) {
		lead.step_out();
		std::thread standby([&] { lead.acquire(1); });
		standby.join();
		EXPECT_FALSE(lead.step_in(0)) << "the lead is lost";
		lead.release();
		lead.acquire(0);
	}
	lead.release();
}

// A standby that has gone to sleep for good is woken by the step.
TEST(leadership, a_standby_that_sleeps_hears_of_the_step)
{
	leadership lead;
	lead.acquire(0);
	std::thread standby([&] {
		lead.acquire(1);
		lead.release();
	});
	std::this_thread::sleep_for(std::chrono::milliseconds(60));
	lead.step_out();
	standby.join();
	EXPECT_FALSE(lead.step_in(0));
}

// Waits until a member sleeps that is called.
void call_until_heard(leadership &lead)
{
	while (!lead.call_help())
		std::this_thread::yield();
}

TEST(leadership, neither_the_leader_nor_the_standby_is_called_to_help)
{
	leadership lead;
	EXPECT_FALSE(lead.call_help());
	ASSERT_TRUE(lead.acquire(0));
	EXPECT_FALSE(lead.call_help());
	std::atomic<bool> leads{false};
	std::thread standby([&] { leads = lead.acquire(1); });
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	EXPECT_FALSE(lead.call_help());
	lead.release();
	standby.join();
	EXPECT_TRUE(leads);
	lead.release();
}

TEST(leadership, who_is_called_helps_and_the_standby_stands_by)
{
	leadership lead;
	ASSERT_TRUE(lead.acquire(0));
	// Of these two one stands by, whichever it is.
	std::atomic<unsigned> helped{0}, led{0};
	auto member = [&](unsigned me) {
		while (!lead.acquire(me))
			helped++;
		led++;
		lead.release();
	};
	std::thread first(member, 1), second(member, 2);
	for (unsigned i = 1; i <= 50; i++) {
		call_until_heard(lead);
		while (helped.load() < i)
			std::this_thread::yield();
	}
	EXPECT_EQ(led.load(), 0u);
	lead.release();
	first.join();
	second.join();
	EXPECT_EQ(led.load(), 2u) << "the one that slept has taken the standby's place";
}

// Who finds the standby's place taken, and falls asleep as it is left for the last time, must be rung: else this test
// does not end.
TEST(leadership, nobody_sleeps_beside_a_free_place)
{
	constexpr unsigned rounds = 20000;
	auto rounds_of_one_turn = std::make_unique<leadership[]>(rounds);
	std::atomic<unsigned> arrived{0};
	in_threads(2, [&](unsigned me) {
		for (unsigned i = 0; i < rounds; i++) {
			arrived++;
			while (arrived.load() < 2 * (i + 1))
				std::this_thread::yield();
			EXPECT_TRUE(rounds_of_one_turn[i].acquire(me));
			rounds_of_one_turn[i].release();
		}
	});
}

// Calls at any moment keep nobody from leading in the end.
TEST(leadership, calls_among_changes_of_the_lead)
{
	constexpr unsigned members = 5, turns = 400;
	leadership lead;
	unsigned count = 0;
	in_threads(members, [&](unsigned me) {
		for (unsigned i = 0; i < turns;) {
			if (!lead.acquire(me))
				continue;
			i++;
			count++;
			lead.call_help();
			lead.release();
			lead.call_help();
		}
	});
	EXPECT_EQ(count, members * turns);
}

// Out and in again at every turn, with others waiting for the lead: nobody leads together, nobody is left waiting.
TEST(leadership, steps_and_takeovers)
{
	constexpr unsigned members = 3, turns = 300;
	leadership lead;
	unsigned count = 0, lost[members] = {};
	in_threads(members, [&](unsigned me) {
		for (unsigned i = 0; i < turns; i++) {
			lead.acquire(me);
			count++;
			lead.step_out();
			if (i % 64 == me)
				std::this_thread::sleep_for(std::chrono::milliseconds(3));
			if (!lead.step_in(me)) {
				lost[me]++;
				continue;
			}
			count++;
			lead.release();
		}
	});
	EXPECT_EQ(count, 2 * members * turns - lost[0] - lost[1] - lost[2]);
}

} // namespace
