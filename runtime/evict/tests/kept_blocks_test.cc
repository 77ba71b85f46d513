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
	for (unsigned step = 0; step < 60000; step++) {
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
	EXPECT_GT(found, 1000u);
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
	EXPECT_EQ(rests[0], 1 + array_log::first_rest);
	EXPECT_EQ(rests[1], 1 + 2 * array_log::first_rest);
	EXPECT_EQ(rests[4], 1 + array_log::most_rest);
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

TEST(eviction, words)
{
	eviction e = eviction::demand;
	EXPECT_TRUE(find_eviction(nullptr, e));
	EXPECT_EQ(e, eviction::keep);
	EXPECT_TRUE(find_eviction("stream", e));
	EXPECT_EQ(e, eviction::stream);
	EXPECT_TRUE(find_eviction("demand", e));
	EXPECT_EQ(e, eviction::demand);
	EXPECT_TRUE(find_eviction("keep", e));
	EXPECT_EQ(e, eviction::keep);
	EXPECT_FALSE(find_eviction("kept", e));
}

} // namespace
