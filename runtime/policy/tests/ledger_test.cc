// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the ledger of a shared launch: whatever blocks end, fail and are lost in whatever order, each row counts once,
// or the launch fails.
#include "policy/ledger.h"

#include <deque>
#include <gtest/gtest.h>
#include <random>

using namespace het::rt;

namespace
{

// Hands rows out one after the other, so many at a time.
struct in_turn final : policy {
	in_turn(size_t rows, size_t each) : left(rows), grain(each) {}
	rows next(unsigned) override
	{
		rows r = {at, std::min(grain, left)};
		at += r.count;
		left -= r.count;
		return r;
	}
	void measured(unsigned device, size_t n, double seconds) override
	{
		last_device = device;
		last_rows = n;
		last_seconds = seconds;
	}
	void leave(unsigned device) override { gone.push_back(device); }

	size_t at = 0, left, grain;
	unsigned last_device = 99;
	size_t last_rows = 0;
	double last_seconds = 0;
	std::vector<unsigned> gone;
};

struct books {
	books(size_t rows, size_t grain, unsigned members, bool is_repeatable)
	{
		auto p = std::make_unique<in_turn>(rows, grain);
		turns = p.get();
		l.open(std::move(p), members, is_repeatable);
	}
	// Returns null if there is nothing for the member.
	ledger_entry *hand_out(unsigned member, unsigned room = 1)
	{
		rows r = l.next(member, room, 0);
		if (!r.count)
			return nullptr;
		entries.push_back({member, r});
		l.enter(entries.back(), 0);
		return &entries.back();
	}
	void count(ledger_entry &e, uint64_t began = 0, uint64_t now = 1)
	{
		l.end(e);
		l.count(e, began, now);
	}
	std::vector<int> counted(size_t rows) const
	{
		std::vector<int> times(rows, 0);
		for (const ledger_entry &e : entries) {
			for (size_t r = e.what.first; r < e.what.end() && e.state == ledger_entry::counts; r++)
				times[r]++;
		}
		return times;
	}

	ledger l;
	in_turn *turns;
	std::deque<ledger_entry> entries;
};

TEST(ledger, nobody_gets_more_than_there_is_room_for)
{
	books b(10, 1, 2, true);
	ASSERT_TRUE(b.hand_out(0, 2));
	ledger_entry *second = b.hand_out(0, 2);
	ASSERT_TRUE(second);
	EXPECT_FALSE(b.hand_out(0, 2));
	EXPECT_TRUE(b.hand_out(1, 2));
	EXPECT_EQ(b.l.under_way(), 3u);
	b.count(*second);
	EXPECT_TRUE(b.hand_out(0, 2));
	EXPECT_EQ(b.l.ended(), 1u);
}

// A block's time begins when the one before it has ended, if it was begun earlier.
TEST(ledger, time_is_counted_once)
{
	books b(10, 5, 1, true);
	ledger_entry *first = b.hand_out(0, 2), *second = b.hand_out(0, 2);
	b.count(*first, 1'000, 5'000);
	EXPECT_DOUBLE_EQ(b.turns->last_seconds, 4e-6);
	b.count(*second, 2'000, 6'000);
	EXPECT_DOUBLE_EQ(b.turns->last_seconds, 1e-6);
	EXPECT_EQ(b.turns->last_rows, 5u);
	EXPECT_DOUBLE_EQ(b.l.of(0).seconds, 5e-6);
	EXPECT_DOUBLE_EQ(b.l.longest_expected(20), 10e-6);
}

TEST(ledger, the_slowest_says_what_to_expect)
{
	books b(10, 5, 2, true);
	EXPECT_EQ(b.l.longest_expected(1), 0);
	ledger_entry *quick = b.hand_out(0), *slow = b.hand_out(1);
	b.count(*quick, 0, 5'000);
	b.count(*slow, 0, 50'000);
	EXPECT_DOUBLE_EQ(b.l.longest_expected(1), 10e-6);
}

TEST(ledger, what_is_given_back_goes_out_first)
{
	books b(10, 1, 2, true);
	ledger_entry *lost = b.hand_out(0);
	b.l.end(*lost);
	EXPECT_EQ(b.l.lose(0, true, true), ledger::loss::first);
	b.l.give_back(*lost);
	EXPECT_EQ(b.turns->gone, std::vector<unsigned>{0});
	EXPECT_FALSE(b.hand_out(0));
	ledger_entry *again = b.hand_out(1);
	ASSERT_TRUE(again);
	EXPECT_EQ(again->what.first, lost->what.first);
	EXPECT_EQ(lost->state, ledger_entry::done_again);
}

// This goes through the states: whether others may do what a device has failed in, and what becomes of what it had
// done.
TEST(ledger, what_a_loss_brings)
{
	for (bool again : {false, true}) {
		for (bool keeps : {false, true}) {
			for (bool repeatable : {false, true}) {
				for (bool had_done : {false, true}) {
					for (bool alone : {false, true}) {
						books b(10, 1, alone ? 1 : 2, repeatable);
						ledger_entry *done = had_done ? b.hand_out(0) : nullptr;
						if (done)
							b.count(*done);
						ledger_entry *failed = b.hand_out(0);
						b.l.end(*failed);
						bool possible = again && !alone && (keeps || repeatable || !had_done);
						EXPECT_EQ(b.l.lose(0, again, keeps),
							  possible ? ledger::loss::first : ledger::loss::final);
						EXPECT_TRUE(b.l.of(0).out);
						if (done) {
							EXPECT_EQ(done->state, possible && !keeps
										       ? ledger_entry::given_back
										       : ledger_entry::counts);
						}
						EXPECT_EQ(b.turns->gone.size(), size_t(possible));
						if (possible) {
							EXPECT_EQ(b.l.lose(0, again, keeps), ledger::loss::known);
							EXPECT_EQ(b.turns->gone.size(), 1u);
						}
					}
				}
			}
		}
	}
}

// In random launches devices fail at any time, keeping what they have done or not.
TEST(ledger, each_row_counts_once_whatever_fails)
{
	std::mt19937 random(20260721);
	auto below = [&](unsigned n) { return unsigned(random() % n); };
	unsigned finished = 0, lost_some = 0;
	for (int round = 0; round < 3000; round++) {
		const size_t rows = 1 + below(60);
		const unsigned members = 2 + below(3);
		const bool keeps = below(2), repeatable = below(4) != 0;
		books b(rows, 1 + below(5), members, repeatable);
		std::vector<ledger_entry *> busy;
		bool failed = false, any_lost = false;
		for (;;) {
			for (unsigned i = 0; i < members && !failed; i++) {
				while (ledger_entry *e = b.hand_out(i, 2))
					busy.push_back(e);
			}
			if (busy.empty())
				break;
			size_t which = below(unsigned(busy.size()));
			ledger_entry &e = *busy[which];
			busy.erase(busy.begin() + long(which));
			b.l.end(e);
			if (b.l.of(e.member).out && !keeps) {
				b.l.give_back(e); // the block has ended well, but is lost with the device
			} else if (below(12)) {
				b.l.count(e, 0, 1);
			} else if (b.l.lose(e.member, true, keeps) != ledger::loss::final) {
				b.l.give_back(e);
				any_lost = true;
			} else {
				b.l.fail(e);
				failed = true;
			}
		}
		EXPECT_EQ(b.l.under_way(), 0u);
		if (failed)
			continue;
		finished++;
		lost_some += any_lost;
		ASSERT_EQ(b.counted(rows), std::vector<int>(rows, 1)) << "round " << round;
	}
	EXPECT_GT(finished, 300u);
	EXPECT_GT(lost_some, 100u);
}

} // namespace
