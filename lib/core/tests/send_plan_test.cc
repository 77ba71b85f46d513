// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs programs whose host writes an array in one way or another, and looks at what would be sent ahead.
#include "core/send_plan.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace het
{

namespace
{

constexpr uint32_t chunks = 1024, chunk_bytes = 64 << 10, per_segment = chunks / send_plan::most_segments;

// A host that writes chunks, and is seen where that is watched; a sender that is as fast as can be; and kernels.
class machine
{
      public:
	explicit machine(sending_kind kind = sending_kind::eager) { s_.open(chunks, chunk_bytes, kind); }

	void write(uint32_t c)
	{
		if (sent_[c]) {
			sent_[c] = false;
			in_vain++;
			vain_[c] = true;
		}
		if (!writable_[c]) {
			layout::span s = s_.around(c);
			std::fill(writable_.begin() + s.first, writable_.begin() + s.last, true);
			touches++;
			s_.touched(c);
		}
		send();
	}
	void write_all()
	{
		for (uint32_t c = 0; c < chunks; c++)
			write(c);
	}
	// A kernel begins, and ends.
	void kernel(uint64_t us = 1000)
	{
		for (uint32_t first = 0; first < chunks; first += per_segment) {
			auto count = [&](const std::vector<bool> &v) {
				return uint32_t(std::count(v.begin() + first, v.begin() + first + per_segment, true));
			};
			s_.judge(first, count(sent_), count(vain_));
		}
		used += size_t(std::count(sent_.begin(), sent_.end(), true));
		now_ += us * 1000;
		s_.interval_ended(now_);
		sent_.assign(chunks, false);
		vain_.assign(chunks, false);
		for (uint32_t c = 0; c < chunks; c++)
			writable_[c] = !s_.watches(c);
	}
	void send()
	{
		for (layout::span s = s_.take(); s.first < s.last; s = s_.take()) {
			for (uint32_t c = s.first; c < s.last; c++) {
				sent_[c] = true;
				writable_[c] = false;
			}
			order.push_back(s.first / per_segment);
		}
	}
	void forget() { touches = used = in_vain = 0, order.clear(); }
	send_plan &insides() { return s_; }

	size_t touches = 0, used = 0, in_vain = 0; // chunks
	std::vector<uint32_t> order;               // of the segments that were sent

      private:
	send_plan s_;
	uint64_t now_ = 1;
	std::vector<bool> writable_ = std::vector<bool>(chunks), sent_ = std::vector<bool>(chunks),
			  vain_ = std::vector<bool>(chunks);
};

void rounds(machine &m, unsigned n, const std::function<void()> &host)
{
	for (unsigned i = 0; i < n; i++) {
		host();
		m.kernel();
	}
}

TEST(send_plan, costs_little_memory)
{
	EXPECT_LE(sizeof(send_plan), 384);
}

TEST(send_plan, a_host_that_goes_through_the_array_has_all_but_the_end_sent)
{
	machine m;
	rounds(m, 4, [&] { m.write_all(); });
	m.forget();
	rounds(m, 1, [&] { m.write_all(); });
	std::vector<uint32_t> all(send_plan::most_segments - 1);
	std::iota(all.begin(), all.end(), 0);
	EXPECT_EQ(m.order, all);
	EXPECT_EQ(m.used, chunks - per_segment);
	EXPECT_EQ(m.in_vain, 0);
	EXPECT_EQ(m.touches, send_plan::most_segments);
}

TEST(send_plan, backwards_and_in_any_order_too)
{
	std::vector<uint32_t> segments(send_plan::most_segments);
	std::iota(segments.begin(), segments.end(), 0);
	std::shuffle(segments.begin(), segments.end(), std::mt19937(3));
	machine m;
	rounds(m, 8, [&] {
		for (uint32_t s : segments) {
			for (uint32_t c = per_segment; c-- > 0;)
				m.write(s * per_segment + c);
		}
	});
	EXPECT_EQ(m.in_vain, 0);
	EXPECT_EQ(m.used, 8 * (chunks - per_segment));
}

// Each of them is in a segment of its own for long after the next was touched.
TEST(send_plan, threads_that_write_their_parts_are_given_time)
{
	for (uint32_t threads : {2u, 4u}) {
		machine m;
		auto host = [&] {
			for (uint32_t i = 0; i < chunks / threads; i++) {
				for (uint32_t t = 0; t < threads; t++)
					m.write(t * (chunks / threads) + i);
			}
		};
		rounds(m, 4, host);
		m.forget();
		rounds(m, 4, host);
		EXPECT_EQ(m.in_vain, 0) << threads;
		EXPECT_GE(m.used, 4 * (chunks - (threads + 1) * per_segment)) << threads;
	}
}

// Once it took long, as something had come between.
TEST(send_plan, time_that_is_not_needed_is_taken_back)
{
	machine m;
	rounds(m, 2, [&] { m.write_all(); });
	for (uint32_t c = 0; c < 4 * per_segment; c++)
		m.write(c);
	m.write(5);
	m.kernel();
	m.forget();
	rounds(m, 200, [&] { m.write_all(); });
	m.forget();
	m.write_all();
	EXPECT_EQ(m.order.size(), send_plan::most_segments - 1);
	EXPECT_EQ(m.order[0], 0);
}

TEST(send_plan, what_is_written_twice_is_left_alone)
{
	machine m;
	rounds(m, 32, [&] {
		m.write_all();
		m.write_all();
	});
	EXPECT_LE(m.touches, 3 * 2 * send_plan::most_segments);
	EXPECT_LE(m.in_vain, 3 * chunks);
	m.forget();
	rounds(m, 512, [&] {
		m.write_all();
		m.write_all();
	});
	EXPECT_LE(m.touches, 6 * 2 * send_plan::most_segments) << "after 16, 32, 64... intervals it is tried again";
}

TEST(send_plan, a_header_that_is_written_last_costs_no_more_than_itself)
{
	machine m;
	auto host = [&] {
		m.write_all();
		m.write(0);
	};
	rounds(m, 8, host);
	m.forget();
	rounds(m, 8, host);
	EXPECT_LE(m.in_vain, 0);
	EXPECT_GE(m.used, 8 * (chunks - 2 * per_segment));
}

TEST(send_plan, a_part_that_is_written_is_sent)
{
	machine m;
	auto host = [&] {
		for (uint32_t c = 100; c < 500; c++)
			m.write(c);
	};
	rounds(m, 4, host);
	EXPECT_EQ(m.in_vain, 0);
	EXPECT_GE(m.used, 4 * 5 * per_segment);
}

TEST(send_plan, chance_is_given_up)
{
	machine m;
	std::mt19937 random{5};
	auto host = [&] {
		for (int i = 0; i < 4000; i++)
			m.write(uint32_t(random() % chunks));
	};
	rounds(m, 64, host);
	m.forget();
	rounds(m, 64, host);
	EXPECT_LE(m.touches, 64);
}

TEST(send_plan, what_is_excluded_is_not_sent)
{
	machine m;
	m.kernel();
	m.insides().exclude(3 * per_segment + 7);
	m.write_all();
	for (uint32_t s : m.order)
		EXPECT_NE(s, 3);
	m.kernel();
	m.forget();
	m.write_all();
	EXPECT_EQ(m.order.size(), send_plan::most_segments - 1) << "that was for one interval";
}

TEST(send_plan, what_was_sent_to_the_wrong_device_rests)
{
	send_plan s;
	s.open(chunks, chunk_bytes, sending_kind::eager);
	EXPECT_TRUE(s.watches(5));
	s.touched(5);
	s.touched(5 + per_segment);
	EXPECT_EQ(s.take().last, per_segment);
	s.judge(5, 0, per_segment);
	s.interval_ended(7);
	EXPECT_FALSE(s.watches(5));
	EXPECT_TRUE(s.watches(5 + per_segment));
}

TEST(send_plan, a_copy_that_fails_ends_it_for_long)
{
	machine m;
	rounds(m, 4, [&] { m.write_all(); });
	m.insides().failed();
	m.kernel();
	m.forget();
	rounds(m, 512, [&] { m.write_all(); });
	EXPECT_EQ(m.touches, 0);
}

// ---- whether it pays ---------------------------------------------------------------------------------

// Runs rounds that take so long with, and without. Returns how many there were with.
unsigned timed_rounds(machine &m, unsigned n, uint64_t with, uint64_t without)
{
	unsigned sent = 0;
	for (unsigned i = 0; i < n; i++) {
		m.forget();
		m.write_all();
		sent += !m.order.empty();
		m.kernel(m.order.empty() ? without : with);
	}
	return sent;
}

TEST(send_plan, it_goes_on_where_it_pays)
{
	machine m(sending_kind::learned);
	timed_rounds(m, 64, 900, 1000);
	EXPECT_GE(timed_rounds(m, 1000, 900, 1000), 900);
}

TEST(send_plan, it_stops_where_it_does_not)
{
	machine m(sending_kind::learned);
	timed_rounds(m, 64, 1000, 1000);
	EXPECT_LE(timed_rounds(m, 1000, 1000, 1000), 60);
}

TEST(send_plan, it_notices_when_it_does_not_pay_any_longer)
{
	machine m(sending_kind::learned);
	timed_rounds(m, 300, 900, 1000);
	timed_rounds(m, 300, 1100, 1000);
	EXPECT_LE(timed_rounds(m, 1000, 1100, 1000), 100);
}

TEST(send_plan, what_is_written_twice_is_not_even_compared)
{
	machine m(sending_kind::learned);
	unsigned sent = 0;
	for (unsigned i = 0; i < 200; i++) {
		m.forget();
		m.write_all();
		m.write_all();
		sent += !m.order.empty();
		m.kernel();
	}
	EXPECT_LE(sent, 8);
}

TEST(send_plan, segments_are_worth_a_touch)
{
	send_plan s;
	s.open(64, chunk_bytes, sending_kind::learned);
	EXPECT_EQ(s.segments(), 4);
	s.open(3, 2 << 20, sending_kind::learned);
	EXPECT_EQ(s.segments(), 3);
	s.open(1, chunk_bytes, sending_kind::always);
	EXPECT_EQ(s.segments(), 1);
	s.open(40, chunk_bytes, sending_kind::always);
	EXPECT_EQ(s.around(39).last, 40);
}

// Whatever is asked for lies in the array, and is taken once until it is touched again.
TEST(send_plan, takes_nothing_twice)
{
	for (sending_kind kind : {sending_kind::eager, sending_kind::always, sending_kind::random}) {
		for (uint32_t n : {1u, 2u, 15u, 16u, 17u, 100u, 1000u}) {
			send_plan s;
			s.open(n, chunk_bytes, kind);
			std::mt19937 random{n};
			std::set<uint32_t> taken;
			for (int i = 0; i < 2000; i++) {
				uint32_t c = uint32_t(random() % n);
				if (i % 100 == 99) {
					s.interval_ended(uint64_t(i));
					taken.clear();
				}
				s.touched(c);
				taken.erase(s.around(c).first);
				for (layout::span t = s.take(); t.first < t.last; t = s.take()) {
					EXPECT_LE(t.last, n);
					EXPECT_TRUE(taken.insert(t.first).second);
				}
			}
		}
	}
}

} // namespace

} // namespace het
