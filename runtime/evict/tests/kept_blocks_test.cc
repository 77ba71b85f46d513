// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests what a device keeps between launches in slices, each byte of which is followed.
#include "evict/kept_blocks.h"

#include "evict/array_log.h"
#include "evict/eviction.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <vector>

using namespace het;
using namespace het::rt;

namespace
{

constexpr uint64_t page = 4096, arena = kept_blocks::blocks_of_arena * page;
constexpr uintptr_t at = 0x100000;

// Keeps, with memory for so many arenas of four blocks of a page.
class kept : public testing::Test
{
      protected:
	void add_arenas(unsigned n)
	{
		for (unsigned i = 0; i < n; i++) {
			memory_.push_back(std::make_unique<uint8_t[]>(arena));
			ASSERT_EQ(kept_.arena_bytes(64 * page), arena);
			ASSERT_TRUE(kept_.add_arena(memory_.back().get(), arena));
		}
	}
	bool fill(range r, bool ok = true)
	{
		bool all = true;
		while (!r.empty()) {
			kept_part p;
			const bool begun = kept_.begin_fill(r, p);
			if (begun)
				kept_.end_fill(p, ok);
			all = all && begun;
			r.begin = p.bytes.end;
		}
		return all;
	}
	bool leave(range r, bool ok = true, bool only_again = false)
	{
		bool all = true;
		for (kept_part p; !r.empty(); r.begin = p.bytes.end)
			all = kept_.begin_overwrite(r, 7, false, only_again, p) == overwriting::begun &&
			      kept_.end_overwrite(p, ok) && all;
		return all;
	}
	// Returns how many bytes of it are kept.
	size_t bytes_kept(range r)
	{
		size_t n = 0;
		for (kept_part p; !r.empty() && kept_.find(r, p); r.begin = p.bytes.end) {
			n += p.bytes.size();
			kept_.let_go(p);
		}
		return n;
	}

	kept_blocks kept_;
	std::vector<std::unique_ptr<uint8_t[]>> memory_;
};

range bytes(size_t begin, size_t n)
{
	return {at + begin, at + begin + n};
}

TEST_F(kept, nothing_is_kept_without_memory)
{
	EXPECT_FALSE(fill(bytes(0, 100)));
	EXPECT_EQ(bytes_kept(bytes(0, 100)), 0u);
}

TEST_F(kept, runs_grow_over_blocks)
{
	add_arenas(1);
	EXPECT_TRUE(fill(bytes(100, 5000)));
	EXPECT_TRUE(fill(bytes(5100, 1000)));
	EXPECT_EQ(bytes_kept(bytes(0, 4 * page)), 6000u);
	kept_part p;
	ASSERT_TRUE(kept_.find(bytes(0, 4 * page), p));
	EXPECT_EQ(p.bytes, bytes(100, page - 100));
	EXPECT_EQ(p.offset % page, 100u);
	kept_.let_go(p);
}

TEST_F(kept, what_does_not_fit_is_not_kept)
{
	add_arenas(1);
	EXPECT_FALSE(fill(bytes(0, 6 * page)));
	EXPECT_EQ(bytes_kept(bytes(0, 6 * page)), 4 * page);
	EXPECT_EQ(bytes_kept(bytes(4 * page, 2 * page)), 0u);
	for (unsigned i = 0; i < kept_blocks::most_age; i++)
		kept_.next_launch();
	EXPECT_FALSE(fill(bytes(4 * page, page)));
	kept_.next_launch();
	EXPECT_TRUE(fill(bytes(4 * page, page)));
}

// A fetch of all passes over a third more than there is room for, again and again.
TEST_F(kept, passes_fetch_only_what_there_is_no_room_for)
{
	add_arenas(2);
	for (unsigned pass = 0; pass < 50; pass++) {
		kept_.next_launch();
		const size_t had = bytes_kept(bytes(0, 12 * page));
		EXPECT_EQ(had, pass ? 8 * page : 0);
		fill(bytes(0, 12 * page));
	}
}

TEST_F(kept, what_changes_is_kept_no_longer)
{
	add_arenas(1);
	fill(bytes(0, page));
	kept_.forget(bytes(1000, 10));
	EXPECT_EQ(bytes_kept(bytes(0, page)), page - 1010); // the longer piece
	kept_.forget(bytes(0, page));
	EXPECT_EQ(bytes_kept(bytes(0, page)), 0u);
}

TEST_F(kept, what_changes_while_it_is_copied_is_not_kept)
{
	add_arenas(1);
	fill(bytes(0, page));
	kept_part p, other;
	ASSERT_TRUE(kept_.begin_fill(bytes(100, 200), p));
	EXPECT_EQ(bytes_kept(bytes(0, 350)), 150u); // what is being copied can't be used now
	EXPECT_FALSE(kept_.begin_fill(bytes(200, 10), other));
	EXPECT_EQ(other.bytes, bytes(200, 10));
	kept_.end_fill(p, true);
	EXPECT_EQ(bytes_kept(bytes(100, 200)), 0u);
	EXPECT_EQ(bytes_kept(bytes(300, page)), page - 300);
}

TEST_F(kept, what_did_not_arrive_is_not_kept)
{
	add_arenas(1);
	fill(bytes(0, page));
	fill(bytes(0, 100), false);
	EXPECT_EQ(bytes_kept(bytes(0, page)), page - 100);
}

// An arena goes with what it has, but not while that is used.
TEST_F(kept, memory_goes_back)
{
	add_arenas(2);
	fill(bytes(0, 5 * page));
	uint64_t n = 0;
	EXPECT_EQ(kept_.take_arena(&n), memory_[1].get()); // has less
	EXPECT_EQ(n, arena);
	EXPECT_EQ(bytes_kept(bytes(0, 5 * page)), 4 * page);
	kept_part p;
	ASSERT_TRUE(kept_.find(bytes(0, 10), p));
	EXPECT_EQ(kept_.take_arena(&n), nullptr);
	kept_.let_go(p);
	EXPECT_EQ(kept_.take_arena(&n), memory_[0].get());
	EXPECT_EQ(kept_.take_arena(&n), nullptr);
	EXPECT_EQ(bytes_kept(bytes(0, 5 * page)), 0u);
}

TEST_F(kept, blocks_are_a_small_part_of_the_budget)
{
	EXPECT_EQ(kept_.arena_bytes(1), arena);
	EXPECT_EQ(kept_.arena_bytes(uint64_t{1} << 30), uint64_t{64} << 20);
	EXPECT_EQ(kept_.arena_bytes(uint64_t{80} << 30), uint64_t{64} << 20);
	add_arenas(kept_blocks::most_arenas);
	EXPECT_EQ(kept_.arena_bytes(uint64_t{1} << 30), 0u);
}

// Whatever is found has the value that the byte has now. Several are at work at once, one step after the other.
TEST_F(kept, random_programs)
{
	std::mt19937 random(7);
	auto below = [&](size_t n) { return size_t(random() % n); };
	constexpr size_t size = 40 * page;
	std::vector<uint8_t> now(size);
	std::vector<kept_part> fills, reads;
	size_t found = 0, narenas = 0;
	auto place = [](const kept_part &p) { return static_cast<uint8_t *>(p.buffer) + p.offset; };
	for (unsigned step = 0; step < 20000; step++) {
		const size_t begin = below(size), n = 1 + below(std::min<size_t>(size - begin, 3 * page));
		kept_part p;
		switch (below(8)) {
		case 0:
			kept_.forget(bytes(begin, n));
			for (size_t i = begin; i < begin + n; i++)
				now[i]++;
			break;
		case 1: // which writes down what the bytes are now
			if (fills.size() < 3 && kept_.begin_fill(bytes(begin, n), p)) {
				for (size_t i = 0; i < p.bytes.size(); i++)
					place(p)[i] = now[p.bytes.begin - at + i];
				fills.push_back(p);
			}
			break;
		case 2:
			if (!fills.empty()) {
				kept_.end_fill(fills.back(), below(5));
				fills.pop_back();
			}
			break;
		case 3:
			if (narenas < kept_blocks::most_arenas && below(20) == 0) {
				add_arenas(1);
				narenas++;
			}
			break;
		case 4:
			if (uint64_t nbytes; below(60) == 0 && kept_.take_arena(&nbytes))
				narenas--;
			break;
		case 5:
			kept_.next_launch();
			break;
		default:
			if (!kept_.find(bytes(begin, n), p))
				break;
			ASSERT_TRUE(bytes(begin, n).covers(p.bytes));
			for (size_t i = 0; i < p.bytes.size(); i++)
				ASSERT_EQ(place(p)[i], now[p.bytes.begin - at + i]) << step;
			found++;
			kept_.let_go(p);
		}
	}
	EXPECT_GT(found, 500u);
}

// --- what is away --------------------------------------------------------------

TEST_F(kept, what_is_written_is_away_until_it_comes_home)
{
	add_arenas(1);
	EXPECT_TRUE(kept_.is_all_home());
	EXPECT_TRUE(leave(bytes(100, 5000)));
	EXPECT_FALSE(kept_.is_all_home());
	EXPECT_EQ(bytes_kept(bytes(0, 4 * page)), 5000u);
	uint64_t n = 0;
	EXPECT_EQ(kept_.take_arena(&n), nullptr);
	EXPECT_TRUE(kept_.may_bring());
	away_run r;
	ASSERT_TRUE(kept_.find_run_to_go(r));
	EXPECT_EQ(r.bytes, bytes(100, page - 100));
	EXPECT_EQ(r.to_user, 7u);
	EXPECT_TRUE(kept_.come_home(r));
	EXPECT_EQ(kept_.take_arena(&n), nullptr);
	ASSERT_TRUE(kept_.find_run({at + 7 + 5099, at + 7 + 5100}, r));
	EXPECT_FALSE(kept_.find_run({at + 7 + 5100, at + 7 + 6000}, r));
	EXPECT_TRUE(kept_.come_home(r));
	EXPECT_TRUE(kept_.is_all_home());
	EXPECT_EQ(bytes_kept(bytes(0, 4 * page)), 5000u); // as copies
	EXPECT_EQ(kept_.take_arena(&n), memory_[0].get());
}

TEST_F(kept, what_is_written_while_it_comes_home_stays_away)
{
	add_arenas(1);
	leave(bytes(0, 100));
	away_run before, again;
	ASSERT_TRUE(kept_.find_run_to_go(before));
	leave(bytes(50, 100));
	EXPECT_FALSE(kept_.come_home(before));
	ASSERT_TRUE(kept_.find_run_to_go(again));
	EXPECT_EQ(again.bytes, bytes(0, 150));
	EXPECT_EQ(before.bytes, bytes(0, 150));
	EXPECT_TRUE(kept_.come_home(before));
	EXPECT_TRUE(kept_.come_home(again)); // there is nothing left
	EXPECT_TRUE(kept_.is_all_home());
}

// What is read at an end of a run is away no longer, unless it was written meanwhile.
TEST_F(kept, what_is_read_comes_home)
{
	add_arenas(1);
	leave(bytes(0, 300));
	kept_part p, amid, old, other;
	ASSERT_TRUE(kept_.find_away(bytes(0, 100), p));
	ASSERT_TRUE(kept_.find_away(bytes(150, 50), amid));
	kept_.has_come(amid);
	kept_.has_come(p);
	ASSERT_TRUE(kept_.find_away(bytes(0, page), old));
	EXPECT_EQ(old.bytes, bytes(100, 200));
	leave(bytes(100, 1));
	kept_.has_come(old);
	ASSERT_TRUE(kept_.find_away(bytes(0, page), other));
	EXPECT_EQ(other.bytes, bytes(100, 200));
	ASSERT_EQ(kept_.begin_overwrite(bytes(250, 10), 7, false, false, p), overwriting::begun);
	kept_.has_come(other);
	EXPECT_TRUE(kept_.end_overwrite(p, true));
	ASSERT_TRUE(kept_.find_away(bytes(0, page), other));
	EXPECT_EQ(other.bytes, bytes(100, 200));
	kept_.has_come(other);
	EXPECT_TRUE(kept_.is_all_home());
}

// A block has one run that is away, and it makes no room for another.
TEST_F(kept, what_is_away_makes_no_room)
{
	add_arenas(1);
	leave(bytes(0, 4 * page));
	for (unsigned i = 0; i < 2 * kept_blocks::most_age; i++)
		kept_.next_launch();
	EXPECT_FALSE(leave(bytes(4 * page, 10)));
	EXPECT_FALSE(fill(bytes(4 * page, 10)));
	away_run r;
	ASSERT_TRUE(kept_.find_old_run(0, r));
	EXPECT_TRUE(kept_.come_home(r));
	EXPECT_TRUE(leave(bytes(4 * page, 100)));
	EXPECT_FALSE(leave(bytes(4 * page + 200, 1000)));
	EXPECT_FALSE(fill(bytes(4 * page + 200, 1000)));
	EXPECT_TRUE(fill(bytes(4 * page + 100, 1000)));
	EXPECT_FALSE(fill(bytes(4 * page + 50, 100)));
	EXPECT_EQ(bytes_kept(bytes(4 * page, page)), 1100u);
	EXPECT_TRUE(kept_.find_run({at + 7 + 4 * page, at + 7 + 4 * page + 1}, r));
	EXPECT_EQ(r.bytes, bytes(4 * page, 100));
}

// One that can't come home now does not stand before the others.
TEST_F(kept, old_runs_are_found_one_after_the_other)
{
	add_arenas(1);
	for (size_t i : {0, 1, 3})
		leave(bytes(i * page, 100));
	for (unsigned i = 0; i <= kept_blocks::most_age; i++)
		kept_.next_launch();
	leave(bytes(page, 100)); // is used by this launch
	away_run first, second, none;
	ASSERT_TRUE(kept_.find_old_run(0, first));
	ASSERT_TRUE(kept_.find_old_run(first.block + 1, second));
	EXPECT_EQ(first.bytes, bytes(0, 100));
	EXPECT_EQ(second.bytes, bytes(3 * page, 100));
	EXPECT_FALSE(kept_.find_old_run(second.block + 1, none));
}

TEST_F(kept, what_changes_at_home_is_away_no_longer)
{
	add_arenas(1);
	leave(bytes(0, 1000));
	kept_.forget(bytes(900, 200));
	kept_.forget(bytes(0, 100));
	kept_part p;
	ASSERT_TRUE(kept_.find_away(bytes(0, page), p));
	kept_.let_go(p);
	EXPECT_EQ(p.bytes, bytes(100, 800));
	EXPECT_FALSE(kept_.find_inside(bytes(0, 100), p));
	kept_.forget(bytes(300, 10)); // has to be changed there
	ASSERT_TRUE(kept_.find_inside(bytes(300, 10), p));
	kept_.let_go(p);
	EXPECT_EQ(p.bytes, bytes(300, 10));
	EXPECT_EQ(bytes_kept(bytes(0, page)), 800u);
	kept_.forget(bytes(0, page));
	EXPECT_TRUE(kept_.is_all_home());
}

// What is on one side of bytes that change, or all of their run, comes home before they are changed in the block.
TEST_F(kept, what_changes_amid_a_run_that_comes_home)
{
	add_arenas(1);
	leave(bytes(0, 1000));
	kept_part behind, p;
	kept_.forget(bytes(300, 10));
	ASSERT_TRUE(kept_.find_away(bytes(310, page), behind));
	kept_.has_come(behind);
	kept_.let_go(behind);
	EXPECT_FALSE(kept_.find_inside(bytes(300, 10), p));
	EXPECT_FALSE(kept_.find_away(bytes(300, page), p));
	EXPECT_EQ(bytes_kept(bytes(300, 10)), 0u);
	leave(bytes(0, 1000));
	away_run all;
	ASSERT_TRUE(kept_.find_run({at + 7, at + 8}, all));
	kept_.forget(bytes(300, 10));
	EXPECT_TRUE(kept_.come_home(all));
	EXPECT_FALSE(kept_.find_inside(bytes(300, 10), p));
	EXPECT_EQ(bytes_kept(bytes(300, 10)), 0u);
}

// Only what is away already is written there again.
TEST_F(kept, what_goes_home_does_not_leave_what_is_away_as_it_was)
{
	add_arenas(1);
	EXPECT_FALSE(leave(bytes(0, 100), true, true));
	leave(bytes(100, 100));
	EXPECT_TRUE(leave(bytes(150, 100), true, true));
	EXPECT_FALSE(leave(bytes(250, 100), true, true));
	kept_part p, later;
	ASSERT_EQ(kept_.begin_overwrite(bytes(200, 10), 7, false, false, p), overwriting::begun);
	EXPECT_TRUE(p.only_copy);
	EXPECT_EQ(kept_.begin_overwrite(bytes(100, 10), 7, false, false, later), overwriting::later);
	EXPECT_EQ(kept_.begin_overwrite(bytes(300, 10), 7, false, false, later), overwriting::refused);
	const uint32_t seen = kept_.fills();
	EXPECT_TRUE(kept_.end_overwrite(p, true));
	kept_.wait_for_fill(seen);
}

// A copy over what is away has failed half-way.
TEST_F(kept, what_is_spoilt_is_not_handed_out)
{
	add_arenas(1);
	leave(bytes(0, 100));
	EXPECT_FALSE(leave(bytes(50, 10), false));
	kept_part p;
	ASSERT_TRUE(kept_.find_away(bytes(0, 10), p));
	EXPECT_EQ(p.buffer, nullptr);
	kept_.let_go(p);
	ASSERT_TRUE(kept_.find(bytes(0, 10), p));
	EXPECT_TRUE(p.only_copy && !p.buffer);
	kept_.let_go(p);
	away_run r;
	EXPECT_FALSE(kept_.find_run_to_go(r));
	EXPECT_FALSE(kept_.may_bring());
	EXPECT_TRUE(leave(bytes(0, 100)));
	ASSERT_TRUE(kept_.find_run_to_go(r));
	kept_.give_up(r);
	EXPECT_FALSE(kept_.find_run_to_go(r));
	ASSERT_TRUE(kept_.find_away(bytes(0, 10), p));
	EXPECT_NE(p.buffer, nullptr);
	kept_.let_go(p);
}

// Follows each byte's value, and the one that it has at home. Where they differ a block must have it.
class away_model
{
      public:
	away_model(kept_blocks &k, size_t size) : kept_(k), now_(size), home_(size) {}

	// A slice has written them.
	void write(range r, bool only_again, bool ok)
	{
		for (kept_part p; !r.empty(); r.begin = p.bytes.end) {
			const bool begun = kept_.begin_overwrite(r, 0, false, only_again, p) == overwriting::begun;
			change(p.bytes);
			if (begun)
				copy(p, now_);
			// As others forget what was to be away meanwhile, this may go home in the end.
			if (begun && kept_.end_overwrite(p, ok || p.only_copy))
				continue;
			kept_.forget(p.bytes);
			go_home(p.bytes);
		}
	}
	void change_at_home(range r)
	{
		change(r);
		kept_.forget(r);
		go_home(r);
		for (kept_part p; !r.empty() && kept_.find_inside(r, p); r.begin = p.bytes.end) {
			copy(p, home_);
			kept_.let_go(p);
		}
	}
	void bring(range r)
	{
		const range all = r;
		for (kept_part p; !r.empty() && kept_.find_away(r, p); r.begin = p.bytes.end) {
			for (size_t i = 0; i < p.bytes.size(); i++)
				home_[p.bytes.begin - at + i] = place(p)[i];
			kept_.has_come(p);
			kept_.let_go(p);
		}
		for (uintptr_t i = all.begin - at; i < all.end - at; i++)
			ASSERT_EQ(home_[i], now_[i]);
	}
	void fill(range r)
	{
		kept_part p;
		if (!kept_.begin_fill(r, p))
			return;
		copy(p, home_);
		kept_.end_fill(p, true);
	}
	void check_copies(range r)
	{
		for (kept_part p; !r.empty() && kept_.find(r, p); r.begin = p.bytes.end) {
			for (size_t i = 0; i < p.bytes.size(); i++)
				ASSERT_EQ(place(p)[i], now_[p.bytes.begin - at + i]);
			found += p.bytes.size();
			kept_.let_go(p);
		}
	}
	size_t found = 0;

      private:
	static uint8_t *place(const kept_part &p) { return static_cast<uint8_t *>(p.buffer) + p.offset; }
	void copy(const kept_part &p, const std::vector<uint8_t> &from)
	{
		std::copy_n(from.begin() + long(p.bytes.begin - at), p.bytes.size(), place(p));
	}
	void change(range r)
	{
		for (uintptr_t i = r.begin - at; i < r.end - at; i++)
			now_[i]++;
	}
	void go_home(range r)
	{
		std::copy(now_.begin() + long(r.begin - at), now_.begin() + long(r.end - at),
			  home_.begin() + long(r.begin - at));
	}

	kept_blocks &kept_;
	std::vector<uint8_t> now_, home_;
};

TEST_F(kept, random_programs_with_bytes_that_are_away)
{
	std::mt19937 random(11);
	auto below = [&](size_t n) { return size_t(random() % n); };
	constexpr size_t size = 20 * page;
	away_model m(kept_, size);
	size_t narenas = 0, runs = 0;
	for (unsigned step = 0; step < 20000; step++) {
		const size_t begin = below(size), n = 1 + below(std::min<size_t>(size - begin, 3 * page));
		const range r = bytes(begin, n);
		away_run run;
		switch (below(10)) {
		case 0:
			m.change_at_home(r);
			break;
		case 1:
		case 2:
			m.write(r, below(4) == 0, below(5));
			break;
		case 3:
			m.bring(r);
			break;
		case 4:
			m.fill(r);
			break;
		case 5:
			if (narenas < 4 && below(8) == 0) {
				add_arenas(1);
				narenas++;
			}
			break;
		case 6:
			if (uint64_t nbytes; below(20) == 0 && kept_.take_arena(&nbytes))
				narenas--;
			break;
		case 7:
			if (below(8) || !(below(2) ? kept_.find_run_to_go(run) : kept_.find_old_run(0, run)))
				break;
			m.bring(run.bytes);
			EXPECT_TRUE(kept_.come_home(run));
			runs++;
			break;
		case 8:
			kept_.next_launch();
			break;
		default:
			m.check_copies(r);
		}
		if (HasFatalFailure())
			FAIL() << step;
	}
	m.bring(bytes(0, size));
	EXPECT_GT(m.found, 500 * page);
	EXPECT_GT(runs, 50u);
}

// --- whose bytes are kept ------------------------------------------------------

TEST(array_log, what_is_used_again_is_kept)
{
	array_log log;
	EXPECT_FALSE(log.use(1, 100));
	EXPECT_FALSE(log.use(2, 50));
	EXPECT_EQ(log.wanted(), 0u);
	EXPECT_TRUE(log.use(1, 100));
	EXPECT_EQ(log.wanted(), 100u);
	EXPECT_TRUE(log.use(2, 50));
	EXPECT_EQ(log.wanted(), 150u);
}

TEST(array_log, what_is_of_no_use_rests_longer_and_longer)
{
	array_log log;
	std::vector<unsigned> rests(1);
	for (unsigned i = 0; i < 500; i++) {
		const bool keeps = log.use(1, 100);
		if (keeps)
			log.note_kept(1, 100);
		if (i && !keeps)
			rests.back()++;
		else if (rests.back())
			rests.push_back(0);
	}
	ASSERT_GT(rests.size(), 5u);
	EXPECT_EQ(rests[0], rest_period::first);
	EXPECT_EQ(rests[1], 2 * rest_period::first);
	EXPECT_EQ(rests[4], rest_period::most);
}

TEST(array_log, what_is_of_use_stays)
{
	array_log log;
	log.use(1, 100);
	for (unsigned i = 0; i < 100; i++) {
		ASSERT_TRUE(log.use(1, 100));
		log.note_kept(1, 10);
		if (i % 3 == 0)
			log.note_used(1, 50);
	}
}

// What is brought home each time before it is written again goes home with its launches, for longer and longer.
TEST(array_log, what_is_read_goes_home)
{
	array_log log;
	EXPECT_FALSE(log.writes(1)); // it is not known
	log.use(1, 100);
	std::vector<unsigned> rests(1);
	for (unsigned i = 0; i < 300; i++) {
		const bool stays = log.writes(1);
		if (stays) {
			log.note_away(1, 100);
			log.note_home(1, 60);
		}
		if (!stays)
			rests.back()++;
		else if (rests.back())
			rests.push_back(0);
	}
	ASSERT_GT(rests.size(), 5u);
	EXPECT_EQ(rests[0], rest_period::first);
	EXPECT_EQ(rests[1], 2 * rest_period::first);
	EXPECT_EQ(rests[4], rest_period::most);
}

TEST(array_log, what_is_read_in_part_stays)
{
	array_log log;
	log.use(1, 100);
	for (unsigned i = 0; i < 100; i++) {
		ASSERT_TRUE(log.writes(1));
		log.note_away(1, 100);
		log.note_home(1, 40);
	}
}

TEST(array_log, the_one_used_longest_ago_is_forgotten)
{
	array_log log;
	for (uintptr_t a = 1; a <= array_log::most; a++)
		log.use(a, 1);
	EXPECT_TRUE(log.use(1, 1));
	EXPECT_FALSE(log.use(1000, 1));
	EXPECT_TRUE(log.use(1, 1));
	EXPECT_FALSE(log.use(2, 1));
}

// Its address may be another array's next.
TEST(array_log, what_is_gone_is_forgotten)
{
	array_log log;
	log.use(1000, 100);
	log.use(2000, 50);
	ASSERT_TRUE(log.use(1000, 100));
	ASSERT_TRUE(log.use(2000, 50));
	log.forget({900, 2000});
	EXPECT_EQ(log.wanted(), 50u);
	EXPECT_FALSE(log.use(1000, 100));
	EXPECT_TRUE(log.use(2000, 50));
}

TEST(eviction, words)
{
	eviction e = eviction::demand;
	inspection i = inspection::some;
	bool m = true;
	EXPECT_TRUE(find_eviction(nullptr, e, i, m));
	EXPECT_EQ(e, eviction::keep);
	EXPECT_FALSE(m);
	EXPECT_TRUE(find_eviction("mix,through", e, i, m));
	EXPECT_TRUE(m);
	EXPECT_EQ(e, eviction::through);
	EXPECT_TRUE(find_eviction("mix,no-mix", e, i, m));
	EXPECT_FALSE(m);
	EXPECT_TRUE(find_eviction("through", e, i, m));
	EXPECT_EQ(e, eviction::through);
	EXPECT_TRUE(keeps_copies(e));
	EXPECT_TRUE(find_eviction("stream", e, i, m));
	EXPECT_FALSE(keeps_copies(e));
	EXPECT_EQ(e, eviction::stream);
	EXPECT_TRUE(find_eviction("demand", e, i, m));
	EXPECT_EQ(e, eviction::demand);
	EXPECT_TRUE(find_eviction("keep", e, i, m));
	EXPECT_EQ(e, eviction::keep);
	EXPECT_EQ(i, inspection::never);
	EXPECT_TRUE(find_eviction("inspect,stream", e, i, m));
	EXPECT_EQ(e, eviction::stream);
	EXPECT_EQ(i, inspection::some);
	EXPECT_TRUE(find_eviction("through,inspect-all", e, i, m));
	EXPECT_EQ(e, eviction::through);
	EXPECT_EQ(i, inspection::whole);
	EXPECT_TRUE(find_eviction("no-inspect", e, i, m));
	EXPECT_EQ(e, eviction::keep);
	EXPECT_EQ(i, inspection::never);
	for (const char *wrong : {"kept", "", "keep,", ",keep", "keep;stream"})
		EXPECT_FALSE(find_eviction(wrong, e, i, m)) << wrong;
}

} // namespace
