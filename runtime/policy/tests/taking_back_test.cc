// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests how a shared launch ends: who leaves rows to those that are sooner done with them, and who takes rows back from
// a device that has other things to do.
#include "policy/ledger.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace het::rt;

namespace
{

constexpr uint64_t second = 1'000'000'000;

// Hands rows out one after the other, so many at a time. Every device does one a second, but the first.
struct one_a_second final : policy {
	one_a_second(size_t rows, size_t each, double first = 1) : left_{0, rows}, each_(each), first_(first) {}
	rows next(unsigned) override
	{
		const rows r = {left_.first, std::min(each_, left_.count)};
		left_ = {r.end(), left_.count - r.count};
		return r;
	}
	size_t left() const override { return left_.count; }
	double speed(unsigned device) const override { return device ? 1 : first_; }

	rows left_;
	const size_t each_;
	const double first_;
};

// Does with a ledger what a shared launch does with it.
struct shared {
	shared(std::unique_ptr<policy> p, unsigned members) : n(members) { l.open(std::move(p), members, true); }

	void hand_out(unsigned asks)
	{
		for (unsigned i = 0; i < n && !failed; i++) {
			for (rows r; (r = l.next(i, 1, now)).count;)
				add(i, r, false);
		}
		std::vector<ledger_entry *> emptied;
		for (ledger::taking t; asks < n && !failed && (t = l.take_back(asks, now)).from;) {
			add(t);
			if (!t.from->what.count)
				emptied.push_back(t.from);
		}
		for (ledger_entry *e : emptied)
			if (withdraws)
				begin(*e);
	}
	void add(unsigned member, rows r, bool taken_back)
	{
		entries.push_back({member, r});
		entries.back().was_taken_back = taken_back;
		l.enter(entries.back(), now);
	}
	void add(const ledger::taking &t)
	{
		EXPECT_FALSE(t.from->has_begun || t.from->was_taken_back);
		EXPECT_NE(t.from->member, t.by);
		add(t.by, t.what, true);
		takes++;
	}
	// It ends at once if others have taken all of it.
	void put_off(ledger_entry &e)
	{
		const ledger::taking t = l.put_off(e, now);
		if (!t.from)
			return;
		EXPECT_EQ(t.from, &e);
		add(t);
		if (!e.what.count)
			begin(e);
	}
	// It ends at once if it has no rows.
	void begin(ledger_entry &e)
	{
		if (l.begin(e, now))
			return;
		l.end(e);
		l.drop_empty(e);
		hand_out(n);
	}
	void end(ledger_entry &e)
	{
		l.end(e);
		l.count(e, e.begun_ns, now);
		hand_out(e.member);
	}
	void lose(ledger_entry &e)
	{
		l.end(e);
		if (l.lose(e.member, true, true) == ledger::loss::final) {
			l.fail(e);
			failed = true;
		} else {
			l.give_back(e);
		}
		hand_out(e.member);
	}
	// Returns who does what now, a member's oldest first.
	ledger_entry *under_way(unsigned member)
	{
		for (ledger_entry &e : entries) {
			if (e.member == member && e.state == ledger_entry::under_way)
				return &e;
		}
		return nullptr;
	}
	std::vector<int> counted(size_t rows) const
	{
		std::vector<int> times(rows, 0);
		for (const ledger_entry &e : entries) {
			for (size_t r = e.what.first; r < e.what.end() && e.state == ledger_entry::counts; r++)
				times.at(r)++;
		}
		return times;
	}

	ledger l;
	const unsigned n;
	std::deque<ledger_entry> entries;
	uint64_t now = second;
	unsigned takes = 0;
	bool failed = false, withdraws = false;
};

// --- every order of events ------------------------------------------------------------

struct tally {
	unsigned launches = 0, failed = 0, taken_back = 0, emptied = 0;
};

// Plays one launch in which what happens next is what @choices say, and adds what there was to choose from. It happens
// so that blocks begin, can't begin, end or fail.
void play(std::vector<std::pair<unsigned, unsigned>> &choices, size_t rows, unsigned members, uint64_t step, tally &t)
{
	shared s(std::make_unique<one_a_second>(rows, 2), members);
	unsigned put_off = 0, lost = 0;
	size_t at = 0;
	s.hand_out(members);
	for (;;) {
		enum event : uint8_t { begins, is_put_off, ends, fails };
		std::vector<std::pair<ledger_entry *, event>> events;
		for (unsigned i = 0; i < members; i++) {
			ledger_entry *e = s.under_way(i);
			if (e && !e->has_begun)
				events.emplace_back(e, begins);
			if (!e || !e->has_begun)
				continue;
			events.emplace_back(e, ends);
			if (!put_off)
				events.emplace_back(e, is_put_off);
			if (!lost && !s.l.of(i).out)
				events.emplace_back(e, fails);
		}
		if (events.empty())
			break;
		if (at == choices.size())
			choices.emplace_back(0, unsigned(events.size()));
		auto [e, what] = events[choices[at++].first];
		s.now += step;
		switch (what) {
		case begins:
			s.begin(*e);
			break;
		case is_put_off:
			s.put_off(*e);
			put_off++;
			break;
		case ends:
			s.end(*e);
			break;
		case fails:
			s.lose(*e);
			lost++;
			break;
		}
	}
	ASSERT_EQ(s.l.under_way(), 0u);
	t.launches++;
	t.failed += s.failed;
	t.taken_back += s.takes;
	for (const ledger_entry &e : s.entries)
		t.emptied += e.state == ledger_entry::empty;
	if (!s.failed) {
		ASSERT_EQ(s.counted(rows), std::vector<int>(rows, 1));
	}
}

tally play_all(size_t rows, unsigned members, uint64_t step)
{
	tally t;
	std::vector<std::pair<unsigned, unsigned>> choices;
	do {
		play(choices, rows, members, step, t);
		while (!choices.empty() && choices.back().first + 1 == choices.back().second)
			choices.pop_back();
		if (!choices.empty())
			choices.back().first++;
	} while (!choices.empty() && !testing::Test::HasFailure());
	return t;
}

} // namespace

TEST(taking_back, each_row_counts_once_whatever_comes_first)
{
	for (unsigned members : {1u, 2u, 3u}) {
		for (uint64_t step : {uint64_t{1}, second / 2, 5 * second}) {
			const tally t = play_all(members == 3 ? 4 : 5, members, step);
			EXPECT_GT(t.launches, 10u);
			if (members == 1) {
				EXPECT_GT(t.failed, 0u);
				EXPECT_EQ(t.taken_back, 0u);
			} else if (step > second) {
				EXPECT_EQ(t.failed, 0u);
				EXPECT_GT(t.taken_back, 0u);
				EXPECT_GT(t.emptied, 0u);
			}
		}
	}
}

// --- who takes what ---------------------------------------------------------------------

TEST(taking_back, what_a_busy_device_has_not_begun_is_done_by_the_other)
{
	shared s(std::make_unique<one_a_second>(16, 8), 2);
	s.hand_out(2);
	ledger_entry &own = *s.under_way(0), &busy = *s.under_way(1);
	s.begin(own);
	s.now += 8 * second;
	s.end(own);
	EXPECT_EQ(busy.what.count, 4u); // it may begin soon
	for (size_t left : {2, 1, 0}) {
		ledger_entry *taken = s.under_way(0);
		ASSERT_TRUE(taken && taken->was_taken_back);
		s.begin(*taken);
		s.now += taken->what.count * second;
		s.end(*taken);
		EXPECT_EQ(busy.what.count, left);
	}
	s.begin(*s.under_way(0));
	s.end(*s.under_way(0));
	EXPECT_FALSE(s.under_way(0));
	s.begin(busy);
	EXPECT_EQ(busy.state, ledger_entry::empty);
	EXPECT_EQ(s.counted(16), std::vector<int>(16, 1));
}

// Somebody else is at work, whose end will have it asked again.
TEST(taking_back, nothing_is_taken_from_what_has_begun_or_was_taken_or_has_just_come)
{
	for (int why : {0, 1, 2}) {
		shared s(std::make_unique<one_a_second>(6, 2), 3);
		s.hand_out(3);
		ledger_entry &own = *s.under_way(0), &other = *s.under_way(1);
		s.begin(own);
		s.begin(*s.under_way(2));
		if (why == 0)
			s.begin(other);
		other.was_taken_back = why == 1;
		s.now += why == 2 ? second - 1 : 2 * second;
		s.end(own);
		EXPECT_FALSE(s.under_way(0)) << why;
		EXPECT_EQ(other.what.count, 2u) << why;
	}
}

// No end would have anybody asked again: if the device stays busy the launch would wait for it, and nobody would work.
TEST(taking_back, what_has_just_come_is_taken_where_nobody_is_at_work)
{
	shared s(std::make_unique<one_a_second>(4, 2), 2);
	s.hand_out(2);
	ledger_entry &own = *s.under_way(0), &other = *s.under_way(1);
	s.begin(own);
	s.now++;
	s.end(own);
	ASSERT_TRUE(s.under_way(0));
	EXPECT_EQ(other.what.count, 1u);
}

// One that could not begin, as it waits for memory perhaps, is as one that has not begun.
TEST(taking_back, what_could_not_begin_is_taken)
{
	shared s(std::make_unique<one_a_second>(4, 2), 2);
	s.hand_out(2);
	ledger_entry &own = *s.under_way(0), &other = *s.under_way(1);
	s.begin(own);
	s.begin(other);
	s.put_off(other);
	s.now += 2 * second;
	s.end(own);
	EXPECT_TRUE(s.under_way(0));
	EXPECT_EQ(other.what.count, 1u);
}

// Its device has nothing since before, and no end is to come that would have it asked.
TEST(taking_back, who_has_nothing_is_asked_when_a_block_could_not_begin)
{
	shared s(std::make_unique<one_a_second>(4, 2), 2);
	s.hand_out(2);
	ledger_entry &own = *s.under_way(0), &other = *s.under_way(1);
	s.begin(own);
	s.begin(other);
	s.now += 2 * second;
	s.end(own);
	ASSERT_FALSE(s.under_way(0));
	s.put_off(other);
	ASSERT_TRUE(s.under_way(0));
	EXPECT_EQ(s.under_way(0)->what.count, 1u);
	EXPECT_EQ(other.what.count, 1u);
}

// The first one has ended when all others were at work; now a third one ends, and is busy at once with the other block.
TEST(taking_back, whoever_has_nothing_takes_and_first_who_has_ended_a_block)
{
	shared s(std::make_unique<one_a_second>(12, 4), 3);
	s.hand_out(3);
	ledger_entry &first = *s.under_way(0), &busy = *s.under_way(1), &third = *s.under_way(2);
	s.begin(first);
	s.begin(third);
	s.now++;
	s.end(first);
	ASSERT_FALSE(s.under_way(0)); // the other may begin soon
	s.now += 4 * second;
	s.end(third);
	ASSERT_TRUE(s.under_way(2));
	ASSERT_TRUE(s.under_way(0));
	EXPECT_EQ(s.under_way(2)->what.count, 2u);
	EXPECT_EQ(s.under_way(0)->what.count, 1u);
	EXPECT_EQ(busy.what.count, 1u);
}

// The device that has most not begun is the one from which rows are taken.
TEST(taking_back, the_largest_block_is_taken)
{
	shared s(std::make_unique<one_a_second>(6, 2), 3);
	s.hand_out(3);
	ledger_entry &own = *s.under_way(0), &less = *s.under_way(1), &more = *s.under_way(2);
	less.what.count = 1;
	s.begin(own);
	s.now += 2 * second;
	s.end(own);
	EXPECT_EQ(less.what.count, 1u);
	EXPECT_EQ(more.what.count, 1u);
}

TEST(taking_back, only_who_has_nothing_takes_and_only_when_nothing_is_left)
{
	for (int why : {0, 1, 2}) {
		shared s(std::make_unique<one_a_second>(why == 1 ? 6 : 4, 2), 2);
		s.hand_out(2);
		ledger_entry &own = *s.under_way(0), &other = *s.under_way(1);
		s.begin(own);
		s.now += 2 * second;
		EXPECT_FALSE(s.l.take_back(0, s.now).from); // it has a block
		s.l.end(own);
		s.l.count(own, own.begun_ns, s.now);
		if (why == 2) // it does no more
			s.l.lose(0, true, true);
		const ledger::taking taken = s.l.take_back(0, s.now);
		EXPECT_EQ(taken.from, why == 0 ? &other : nullptr);
		EXPECT_EQ(taken.what.count, why == 0 ? 1u : 0u);
	}
}

// --- who leaves rows to others ----------------------------------------------------------

// The first device takes ten seconds for a row, the others one, and some rows are left or were given back.
TEST(leaving, a_slow_device_gets_what_others_are_not_sooner_done_with)
{
	for (size_t left : {1, 4, 7, 9}) {
		for (bool has_begun : {false, true}) {
			for (bool is_late : {false, true}) {
				for (bool is_returned : {false, true}) {
					auto p = std::make_unique<one_a_second>(4 + left, 4, 0.1);
					one_a_second &source = *p;
					ledger l;
					l.open(std::move(p), 3, true);
					ledger_entry other = {1, l.next(1, 1, second)}, lost = {2, {0, 0}};
					l.enter(other, second);
					if (has_begun)
						l.begin(other, second);
					if (is_returned) {
						lost.what = source.left_;
						source.left_.count = 0;
						l.enter(lost, second);
						l.end(lost);
						l.give_back(lost);
					}
					// Of its block half counts, however late it is.
					const double of_other = is_late ? 2 : 4;
					const bool waits = has_begun && double(left) + of_other < 10;
					const uint64_t now = is_late ? 100 * second : second;
					EXPECT_EQ(l.next(0, 1, now).count == 0, waits)
						<< left << has_begun << is_late << is_returned;
				}
			}
		}
	}
}

// The first device takes two seconds for a row, and the other one has done nearly all of the launch, which was long or
// short.
TEST(leaving, a_small_part_is_not_worth_it)
{
	for (size_t rows : {10, 100}) {
		ledger l;
		l.open(std::make_unique<one_a_second>(rows, rows - 1, 0.5), 2, true);
		ledger_entry other = {1, l.next(1, 1, second)};
		l.enter(other, second);
		l.begin(other, second);
		other.what.count = 0; // is about to end
		EXPECT_EQ(l.next(0, 1, second).count, rows == 10 ? 0u : 1u);
	}
}

namespace
{

// Returns the ideal time divided by that of devices with such speeds, which do blocks of rows with so much work. The
// first @late seconds of it the last one does something else.
double share(const std::vector<double> &work, const std::vector<double> &told, const std::vector<double> &truly,
	     double late = 0)
{
	const std::vector<size_t> grains(truly.size(), 1);
	shared s(make_steal_policy({work.size(), grains, told, 1e-9}), unsigned(truly.size()));
	s.withdraws = true;
	std::vector<double> ends(truly.size(), -1);
	double now = 0;
	auto clock = [](double seconds) { return second + uint64_t(seconds * 1e9); };
	auto begin_all = [&] {
		for (unsigned d = 0; d < truly.size(); d++) {
			ledger_entry *e = s.under_way(d);
			if (!e || e->has_begun || (d + 1 == truly.size() && now < late))
				continue;
			s.begin(*e);
			const rows r = e->what;
			ends[d] =
				now + std::accumulate(work.begin() + long(r.first), work.begin() + long(r.end()), 0.0) /
					      truly[d];
		}
	};
	s.hand_out(unsigned(truly.size()));
	for (double last = 0;; last = now) {
		begin_all();
		double next = late > now ? late : -1;
		unsigned who = unsigned(truly.size());
		for (unsigned d = 0; d < truly.size(); d++) {
			ledger_entry *e = s.under_way(d);
			if (e && e->has_begun && (next < 0 || ends[d] < next)) {
				next = ends[d];
				who = d;
			}
		}
		if (!s.l.under_way() || next < 0) {
			EXPECT_EQ(s.counted(work.size()), std::vector<int>(work.size(), 1));
			double all = std::accumulate(work.begin(), work.end(), 0.0);
			return all / std::accumulate(truly.begin(), truly.end(), 0.0) / last;
		}
		now = next;
		s.now = clock(now);
		if (who < truly.size())
			s.end(*s.under_way(who));
	}
}

// These are the steps of each of the 24 rows of groups of two pictures by bench/apps/mandelbrot, in thousandths of all.
const std::vector<double> pictures[] = {
	{3, 3, 3, 7, 15, 19, 50, 58, 66, 79, 94, 101, 102, 95, 80, 66, 58, 51, 21, 15, 8, 3, 3, 3},
	{52, 52, 51, 51, 51, 51, 50, 49, 49, 48, 47, 45, 44, 43, 41, 38, 37, 34, 31, 29, 27, 27, 28, 26},
};

} // namespace

TEST(leaving, pictures_of_few_rows_are_shared_well)
{
	for (const std::vector<double> &work : pictures) {
		for (const std::vector<double> &told : {std::vector<double>{18, 6}, {16, 8}, {15, 9}, {20, 4}}) {
			EXPECT_GE(share(work, told, {750, 250}), 0.93) << told[0];
			EXPECT_GE(share(work, {told[1], told[0]}, {250, 750}), 0.9) << told[0];
		}
	}
}

// The slowest takes ten times as long for a row, so the others do the last ones.
TEST(leaving, nobody_waits_for_a_slow_device)
{
	const std::vector<double> truly = {10, 10, 1}, even(40, 1);
	EXPECT_GE(share(even, truly, truly), 0.9);
}

// A device that comes late takes part in what is left, and one that never comes keeps nobody waiting.
TEST(leaving, a_device_that_does_something_else_is_not_waited_for)
{
	const std::vector<double> even(60, 1), truly = {1, 1};
	EXPECT_GE(share(even, {1, 1}, truly, 20), 30.0 / 45);
	EXPECT_GE(share(even, {1, 1}, truly, 1e6), 30.0 / 61);
}
