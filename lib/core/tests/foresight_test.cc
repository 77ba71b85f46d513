// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs programs that use an array in one way or another, and looks at what foresight makes of them.
#include "core/foresight.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace het
{

namespace
{

constexpr uint32_t chunks = 1024;

// One array, and a host that sees what foresight leaves it.
class machine
{
      public:
	explicit machine(foresight_kind kind = foresight_kind::learned, uint32_t n = chunks, bool in_place = false)
	    : history_(n), shown_(n), used_(n), done_(n)
	{
		f_.open(history_.data(), n, 16, 64 << 10, kind, in_place);
	}

	// A kernel on [first, last) ends.
	void end(uint64_t name, uint32_t first, uint32_t last)
	{
		for (uint32_t c = first; c < last; c++) {
			if (f_.any_asked_in_place() && f_.is_asked_in_place(c)) {
				f_.answer(c, done_[c]);
				answers++;
			}
			done_[c] = expectation::nothing;
		}
		foresight::verdict v = f_.kernel_ended(name, first, last, 0, true);
		told_in_vain += v.in_vain;
		told_used += v.used;
		for (uint32_t c = first; c < last; c++) {
			in_vain += shown_[c] != expectation::nothing && brought_[c] && !used_[c];
			shown_[c] = f_.expects(c);
			brought_[c] = shown_[c] != expectation::nothing;
			used_[c] = false;
			brought += brought_[c];
		}
	}
	void end(uint64_t name = 1) { end(name, 0, uint32_t(history_.size())); }

	void touch_one(uint32_t c, bool write = false)
	{
		expectation wanted = write ? expectation::write : expectation::read;
		used_[c] = true;
		done_[c] = std::max(done_[c], wanted);
		useful++;
		if (shown_[c] >= wanted)
			return;
		shown_[c] = wanted;
		faults++;
		f_.touched(c, 1, write);
	}
	void touch(uint32_t first, uint32_t last, bool write = false)
	{
		for (uint32_t c = first; c < last; c++)
			touch_one(c, write);
	}

	expectation expects(uint32_t c) const { return f_.expects(c); }
	foresight &insides() { return f_; }
	void forget_counts() { faults = brought = in_vain = useful = told_in_vain = told_used = answers = 0; }

	uint64_t faults = 0, brought = 0, in_vain = 0, useful = 0, told_in_vain = 0, told_used = 0, answers = 0;

      private:
	foresight f_;
	std::vector<chunk_history> history_;
	std::vector<expectation> shown_;
	std::vector<bool> used_, brought_ = std::vector<bool>(history_.size());
	std::vector<expectation> done_; // since the last end, by a host that is told of
};

void rounds(machine &m, unsigned n, const std::function<void(unsigned)> &host)
{
	for (unsigned i = 0; i < n; i++) {
		m.end();
		host(i);
	}
}

TEST(foresight, costs_little_memory)
{
	EXPECT_LE(sizeof(chunk_history), 4);
	EXPECT_LE(sizeof(foresight), 512);
}

TEST(foresight, knows_periods)
{
	EXPECT_FALSE(continues_with_one(0, 0));
	EXPECT_FALSE(continues_with_one(1, 1));
	EXPECT_FALSE(continues_with_one(3, 2));
	EXPECT_TRUE(continues_with_one(7, 3));
	EXPECT_FALSE(continues_with_one(0b1110, 4));
	EXPECT_TRUE(continues_with_one(0b1010, 4));
	EXPECT_FALSE(continues_with_one(0b0101, 4));
	EXPECT_TRUE(continues_with_one(0b100100, 6));
	EXPECT_FALSE(continues_with_one(0b010010, 6));
	// Only three of four were touched where it looks as if all were.
	EXPECT_FALSE(continues_with_one(0b01110111, 8));
	EXPECT_TRUE(continues_with_one(0b11101110, 8));
	// The rule did not hold once, long ago.
	EXPECT_TRUE(continues_with_one(0b1110111, 7));
	EXPECT_FALSE(continues_with_one(0, 32));
	EXPECT_TRUE(continues_with_one(~0u, 32));
}

TEST(foresight, every_period_is_learned)
{
	for (unsigned period = 1; period <= 8; period++) {
		machine m;
		auto host = [&](unsigned i) {
			if (i % period == 0)
				m.touch(0, chunks);
		};
		rounds(m, 4 * period + 8, host);
		m.forget_counts();
		rounds(m, 8 * period, [&](unsigned i) { host(i + (4 * period + 8) % period); });
		EXPECT_LE(m.faults, m.useful / 16) << period;
		EXPECT_LE(m.in_vain, m.brought / 16) << period;
	}
}

TEST(foresight, a_loop_takes_no_faults)
{
	machine m;
	auto host = [&](unsigned) { m.touch(0, 100); };
	rounds(m, 4, host);
	EXPECT_EQ(m.expects(0), expectation::read);
	EXPECT_EQ(m.expects(99), expectation::read);
	EXPECT_EQ(m.expects(100), expectation::nothing);
	m.forget_counts();
	rounds(m, 2000, host);
	EXPECT_LE(m.faults, m.useful / 100);
	EXPECT_EQ(m.in_vain, 0);
	EXPECT_GT(m.faults, 0) << "it asks";
}

TEST(foresight, asks_after_eight_uses_and_then_less_often)
{
	machine m(foresight_kind::learned, 1);
	std::vector<unsigned> asked;
	rounds(m, 1000, [&](unsigned i) {
		uint64_t before = m.faults;
		m.touch_one(0);
		if (m.faults > before && i > 3)
			asked.push_back(i);
	});
	ASSERT_GE(asked.size(), 20);
	EXPECT_EQ(asked[1] - asked[0], 8);
	for (size_t i = 2; i < asked.size(); i++)
		EXPECT_GE(asked[i] - asked[i - 1], asked[i - 1] - asked[i - 2]);
	EXPECT_GE(asked.back() - asked[asked.size() - 2], 64);
}

TEST(foresight, writes_are_foreseen_as_such)
{
	machine m;
	auto host = [&](unsigned) {
		m.touch(0, 50);
		m.touch(50, 60);
		m.touch(50, 60, true);
	};
	rounds(m, 5, host);
	EXPECT_EQ(m.expects(0), expectation::read);
	EXPECT_EQ(m.expects(55), expectation::write);
	m.forget_counts();
	rounds(m, 500, host);
	EXPECT_LE(m.faults, m.useful / 50);
}

TEST(foresight, what_is_not_written_any_longer_is_found_out)
{
	machine m;
	rounds(m, 10, [&](unsigned) { m.touch(0, 32, true); });
	EXPECT_EQ(m.expects(20), expectation::write);
	// One of a group at a time is asked, so all are in the end.
	rounds(m, 3000, [&](unsigned) { m.touch(0, 32); });
	unsigned still = 0;
	for (uint32_t c = 0; c < 32; c++)
		still += m.expects(c) == expectation::write;
	EXPECT_LT(still, 16);
}

TEST(foresight, one_that_stops_is_noticed)
{
	for (unsigned before : {64u, 65u, 70u, 100u, 200u, 1000u}) {
		for (uint32_t n : {1u, 16u, chunks}) {
			machine m(foresight_kind::learned, n);
			rounds(m, before, [&](unsigned) { m.touch(0, n); });
			m.in_vain = 0;
			rounds(m, before, [](unsigned) {});
			EXPECT_LE(m.in_vain * 8, uint64_t{before} * n) << before << " " << n;
			EXPECT_LE(m.in_vain * 10, m.brought + n) << before << " " << n;
		}
	}
}

TEST(foresight, a_large_part_that_stops_is_noticed_soon)
{
	for (unsigned before : {20u, 64u, 1000u}) {
		machine m;
		rounds(m, before, [&](unsigned) { m.touch(0, chunks / 2); });
		m.in_vain = 0;
		rounds(m, before, [](unsigned) {});
		EXPECT_LE(m.in_vain, 4 * chunks / 2) << before;
	}
}

TEST(foresight, a_probe_that_is_not_touched_is_no_stop)
{
	machine m;
	rounds(m, 64, [&](unsigned) { m.touch(0, chunks); });
	m.forget_counts();
	// One chunk after the other is left out from now on.
	rounds(m, 64, [&](unsigned i) {
		for (uint32_t c = 0; c < chunks; c++)
			if (c % 64 != 7 || c / 64 > i / 4)
				m.touch_one(c);
	});
	EXPECT_LE(m.faults * 20, m.useful);
	EXPECT_LE(m.in_vain * 20, m.brought);
}

TEST(foresight, a_part_that_is_not_touched_any_longer_is_left)
{
	machine m;
	rounds(m, 64, [&](unsigned) { m.touch(0, chunks); });
	rounds(m, 64, [&](unsigned) { m.touch(0, chunks / 2); });
	EXPECT_EQ(m.expects(chunks / 2), expectation::nothing);
	EXPECT_EQ(m.expects(chunks - 1), expectation::nothing);
	EXPECT_LE(m.in_vain * 10, m.brought);
	m.forget_counts();
	rounds(m, 64, [&](unsigned) { m.touch(0, chunks / 2); });
	EXPECT_LE(m.in_vain * 50, m.brought);
	EXPECT_LE(m.faults * 20, m.useful);
}

TEST(foresight, what_a_read_ahead_brought_is_left)
{
	for (uint32_t n : {16u, 64u, chunks}) {
		machine m(foresight_kind::learned, n);
		auto host = [&](unsigned) {
			// Nobody has touched the second half; a touch of the first half shows it as well.
			if (m.expects(1) == expectation::nothing)
				m.insides().touched(n / 2, n / 2, false);
			m.touch(0, n / 2);
		};
		rounds(m, 8, host);
		EXPECT_EQ(m.expects(n - 1), expectation::nothing) << n;
		EXPECT_LE(m.in_vain, n);
		m.forget_counts();
		rounds(m, 100, host);
		EXPECT_EQ(m.in_vain, 0) << n;
		EXPECT_LE(m.faults * 20, m.useful) << n;
	}
}

TEST(foresight, random_touches_bring_little)
{
	std::mt19937 random(7);
	for (unsigned percent : {1u, 5u, 10u, 25u, 50u}) {
		machine m;
		rounds(m, 400, [&](unsigned) {
			for (uint32_t c = 0; c < chunks; c++) {
				if (random() % 100 < percent)
					m.touch_one(c);
			}
		});
		EXPECT_LE(m.in_vain * 10, m.useful) << percent;
	}
}

TEST(foresight, a_chunk_at_a_time_is_never_foreseen)
{
	machine m;
	rounds(m, 1000, [&](unsigned i) { m.touch_one(i * 37 % chunks); });
	EXPECT_EQ(m.brought, 0);
}

TEST(foresight, what_is_seldom_asked_for_is_left_to_touches)
{
	// Now and then its chunks are those of a moment ago.
	machine m;
	std::mt19937 random(11);
	rounds(m, 2000, [&](unsigned i) { m.touch(i / 10 * 64 % chunks, i / 10 * 64 % chunks + 64); });
	EXPECT_LE(m.in_vain * 4, m.useful);
	machine alone(foresight_kind::off);
	rounds(alone, 2000, [&](unsigned i) { alone.touch(i / 10 * 64 % chunks, i / 10 * 64 % chunks + 64); });
	EXPECT_LE(m.faults, alone.faults);
}

TEST(foresight, kernels_that_take_turns_are_told_apart)
{
	machine m;
	auto host = [&](unsigned) {
		m.touch(0, 10);
		m.end(2);
		m.touch(500, 510, true);
	};
	rounds(m, 8, host);
	m.forget_counts();
	rounds(m, 200, host);
	EXPECT_LE(m.in_vain * 50, m.brought);
	EXPECT_LE(m.faults * 10, m.useful);
}

// ---- asked in place --------------------------------------------------------------------------------

TEST(foresight, what_is_asked_in_place_takes_no_faults)
{
	for (uint32_t n : {1u, 16u, chunks}) {
		machine m(foresight_kind::learned, n, true);
		auto host = [&](unsigned) { m.touch(0, std::max(n / 2, 1u), n == 16); };
		rounds(m, 4, host);
		m.forget_counts();
		rounds(m, 2000, host);
		EXPECT_EQ(m.faults, 0) << n;
		EXPECT_EQ(m.in_vain, 0) << n;
		EXPECT_EQ(m.told_in_vain, 0) << n;
		EXPECT_GT(m.answers, 20) << n;
		// All but what was brought since it was asked last is known to have been of use.
		EXPECT_GE(m.told_used * 20, m.useful * 19) << n;
		EXPECT_LE(m.told_used, m.useful + n * 16) << n;
	}
}

TEST(foresight, what_is_asked_in_place_costs_little)
{
	for (uint32_t n : {1u, 16u, chunks}) {
		machine m(foresight_kind::learned, n, true);
		auto host = [&](unsigned) { m.touch(0, n); };
		rounds(m, 64, host);
		m.forget_counts();
		rounds(m, 1000, host);
		// A question costs less than the copy of a chunk does.
		EXPECT_LE(m.answers * 20, m.brought) << n;
	}
}

TEST(foresight, one_that_stops_is_noticed_soon_in_place)
{
	for (unsigned before : {20u, 64u, 200u, 1000u}) {
		for (uint32_t n : {16u, 128u, chunks}) {
			machine m(foresight_kind::learned, n, true);
			rounds(m, before, [&](unsigned) { m.touch(0, n); });
			m.in_vain = 0;
			rounds(m, before, [](unsigned) {});
			EXPECT_LE(m.in_vain, 10 * n) << before << " " << n;
			EXPECT_EQ(m.expects(0), expectation::nothing);
		}
	}
}

TEST(foresight, a_part_that_stops_is_left_in_place)
{
	machine m(foresight_kind::learned, chunks, true);
	rounds(m, 64, [&](unsigned) { m.touch(0, chunks); });
	m.in_vain = 0;
	rounds(m, 64, [&](unsigned) { m.touch(0, chunks / 2); });
	EXPECT_EQ(m.expects(chunks / 2), expectation::nothing);
	EXPECT_EQ(m.expects(chunks - 1), expectation::nothing);
	EXPECT_LE(m.in_vain, 9 * chunks / 2);
	m.forget_counts();
	rounds(m, 64, [&](unsigned) { m.touch(0, chunks / 2); });
	EXPECT_EQ(m.in_vain, 0);
	EXPECT_LE(m.faults * 20, m.useful);
}

TEST(foresight, writes_are_known_in_place)
{
	machine m(foresight_kind::learned, 64, true);
	rounds(m, 10, [&](unsigned) { m.touch(0, 64, true); });
	EXPECT_EQ(m.expects(20), expectation::write);
	m.forget_counts();
	rounds(m, 1000, [&](unsigned) { m.touch(0, 64, true); });
	EXPECT_EQ(m.faults, 0);
	rounds(m, 3000, [&](unsigned) { m.touch(0, 64); });
	unsigned still = 0;
	for (uint32_t c = 0; c < 64; c++)
		still += m.expects(c) == expectation::write;
	EXPECT_LT(still, 32);
	EXPECT_EQ(m.expects(0) != expectation::nothing, true);
}

// It was not free when the kernel ended, so it was taken from the host, and is asked as ever.
TEST(foresight, what_could_not_be_asked_in_place_is_asked_by_a_touch)
{
	machine m(foresight_kind::learned, 8, true);
	rounds(m, 5, [&](unsigned) { m.touch(0, 8); });
	foresight &f = m.insides();
	unsigned asked = 0;
	for (int i = 0; i < 100; i++) {
		f.kernel_ended(1, 0, 8, 0, true);
		for (uint32_t c = 0; c < 8; c++) {
			if (!f.is_asked_in_place(c))
				continue;
			asked++;
			f.was_taken(c);
			EXPECT_FALSE(f.is_asked_in_place(c));
		}
		f.touched(0, 8, false);
	}
	EXPECT_GT(asked, 2);
	EXPECT_TRUE(f.any_expected());
}

TEST(foresight, parts_of_an_array_are_told_apart)
{
	machine m;
	auto turn = [&](unsigned i) {
		for (uint32_t d = 0; d < 4; d++)
			m.end(d, d * 256, (d + 1) * 256);
		m.touch(256, 300);
		if (i % 2)
			m.touch(768, 1024, true);
	};
	for (unsigned i = 0; i < 20; i++)
		turn(i);
	m.forget_counts();
	for (unsigned i = 0; i < 200; i++)
		turn(i);
	EXPECT_LE(m.in_vain * 20, m.brought);
	EXPECT_LE(m.faults * 10, m.useful);
}

TEST(foresight, more_kernels_than_it_remembers_do_no_harm)
{
	machine m;
	for (unsigned i = 0; i < 1000; i++) {
		m.end(i % 7);
		m.touch(i % 7 * 100, i % 7 * 100 + 50);
	}
	EXPECT_LE(m.in_vain * 10, m.useful);
}

TEST(foresight, ends_that_nobody_sees_are_counted)
{
	machine m;
	foresight &f = m.insides();
	for (unsigned i = 0; i < 6; i++) {
		m.end();
		m.touch(0, 10);
		f.kernel_ended(1, 0, chunks, 0, true);
		// Three more ends, between which nothing is touched, pass unseen.
		f.kernel_ended(1, 0, chunks, 2, true);
	}
	// Each round after the first has five ends.
	EXPECT_FALSE(f.any_expected());
	EXPECT_LE(f.ends_until_next(), 8);
	machine never;
	rounds(never, 100, [](unsigned) {});
	EXPECT_EQ(never.insides().ends_until_next(), UINT32_MAX);
	machine other;
	rounds(other, 21, [&](unsigned i) {
		if (i % 2 == 0)
			other.touch_one(0);
	});
	other.end();
	EXPECT_FALSE(other.insides().any_expected());
	EXPECT_EQ(other.insides().ends_until_next(), 0);
}

TEST(foresight, may_be_forbidden)
{
	machine m;
	rounds(m, 10, [&](unsigned) { m.touch(0, 10); });
	EXPECT_TRUE(m.insides().any_expected());
	m.insides().kernel_ended(1, 0, chunks, 0, false);
	EXPECT_FALSE(m.insides().any_expected());
	EXPECT_EQ(m.expects(0), expectation::nothing);
}

TEST(foresight, a_copy_that_costs_more_than_touches_is_not_made)
{
	machine m;
	// The copies take ten times as long as all that they could save.
	for (int i = 0; i < 1000; i++)
		m.insides().copied(64 << 10, 2000000);
	rounds(m, 100, [&](unsigned) { m.touch(0, 10); });
	EXPECT_EQ(m.brought, 0);
}

TEST(foresight, adversaries_say_what_they_say)
{
	machine yes(foresight_kind::always), no(foresight_kind::off), any(foresight_kind::random);
	for (machine *m : {&yes, &no, &any})
		rounds(*m, 30, [&](unsigned) {
			m->touch(0, 10, true);
			m->touch(10, 20);
		});
	EXPECT_EQ(yes.brought, 30 * chunks);
	EXPECT_EQ(no.brought, 0);
	EXPECT_GT(any.brought, 15 * chunks);
	EXPECT_LT(any.brought, 25 * chunks);
	EXPECT_EQ(yes.expects(5), expectation::write);
	EXPECT_EQ(yes.expects(15), expectation::read);
}

} // namespace

} // namespace het
