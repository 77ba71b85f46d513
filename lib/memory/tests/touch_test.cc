// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Touches of the host: what is fetched and shown, who waits, and what is shown when no device has the bytes.
#include "memory/touch.h"

#include "memory/chunks.h"
#include "memory/failure.h"
#include "memory/fetch.h"
#include "memory/kernel.h"
#include "small_library.h"

#include <optional>

using namespace het;

namespace
{

class touches : public small_library
{
      protected:
	// A kernel has written 'k' everywhere.
	touches()
	{
		EXPECT_EQ(link(), 0);
		write_on_device(0, 'k');
	}
	void write_on_device(unsigned d, char what)
	{
		EXPECT_EQ(begin_kernel(linked(), whole(d), kernel_mode::read_write), 0);
		memset(buffer_at(0, d), what, bytes);
		EXPECT_EQ(end_kernel(linked(), whole(d), nullptr), 0);
		trap_->forget();
	}
};

TEST_F(touches, a_read_brings_the_chunk_and_shares_it)
{
	EXPECT_EQ(touch_at(chunk_at(1) + 5), verdict::done);
	EXPECT_EQ(chunk_at(1)[5], 'k');
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::read);
	EXPECT_EQ(trap_->at(chunk_at(0)), het::access::none);
	EXPECT_EQ(state(1), (chunk_state{host_copy | device_copy(0), het::access::read}));
	EXPECT_EQ(device_[0]->bytes_read, chunk_bytes);
	EXPECT_EQ(linked().chunks[1].flags, 0);
	EXPECT_EQ(linked().fast.load(), 0u) << "the device owns it no longer alone";
	EXPECT_EQ(l.stats.touches.get(), 1u);
}

TEST_F(touches, a_write_makes_the_host_the_only_owner)
{
	EXPECT_EQ(touch_at(chunk_at(2), true), verdict::done);
	EXPECT_EQ(state(2), (chunk_state{host_copy, het::access::write}));
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::write);
	EXPECT_EQ(touch_at(chunk_at(3)), verdict::done);
	EXPECT_EQ(touch_at(chunk_at(3), true), verdict::done);
	EXPECT_EQ(state(3), (chunk_state{host_copy, het::access::write}));
	EXPECT_EQ(device_[0]->reads, 2) << "one that is at home is shown";
}

// The host has read all of it, and pages are shown one by one.
class writes : public touches
{
      protected:
	writes()
	{
		trap_->can.by_page = true;
		for (size_t c = 0; c < chunks; c++)
			EXPECT_EQ(touch_at(chunk_at(c)), verdict::done);
		trap_->forget();
	}
	het::access may(size_t c, size_t in) const { return trap_->at(host + c * chunk_bytes + in * page); }
};

// Who goes backwards is not caught at each page.
TEST_F(writes, a_second_one_in_a_chunk_shows_what_is_before)
{
	ASSERT_EQ(touch_at(chunk_at(1) + 9 * page, true), verdict::done);
	EXPECT_EQ(may(1, 8), het::access::read);
	EXPECT_EQ(may(1, 9), het::access::write);
	EXPECT_EQ(may(1, 15), het::access::write);
	ASSERT_EQ(touch_at(chunk_at(1) + 8 * page, true), verdict::done);
	for (size_t p = 0; p < 16; p++)
		EXPECT_EQ(may(1, p), het::access::write);
	EXPECT_EQ(may(0, 15), het::access::read);
	EXPECT_EQ(may(2, 0), het::access::read);
}

// A page that is no longer protected takes a fault of its own; but a single write is not to take pages from readers.
TEST_F(writes, of_a_stream_map_pages_anew)
{
	ASSERT_EQ(touch_at(chunk_at(0), true), verdict::done);
	EXPECT_EQ(trap_->count("open"), 0u);
	ASSERT_EQ(touch_at(chunk_at(1), true), verdict::done);
	EXPECT_GT(trap_->count("open"), 0u);
	for (size_t c : {0, 1, 2}) {
		EXPECT_EQ(state(c), (chunk_state{host_copy, het::access::write}));
		EXPECT_EQ(may(c, 15), het::access::write);
	}
	// Others waited for the same page, and who has gone on is not to lose it.
	size_t opened = trap_->count("open");
	ASSERT_EQ(touch_at(chunk_at(1) + page, true), verdict::done);
	EXPECT_EQ(trap_->count("open"), opened);
}

TEST_F(writes, pages_that_cant_be_mapped_anew_are_shown)
{
	trap_->open_error = -ENOMEM;
	ASSERT_EQ(touch_at(chunk_at(0), true), verdict::done);
	ASSERT_EQ(touch_at(chunk_at(1), true), verdict::done);
	trap_->open_error = 0;
	EXPECT_EQ(may(1, 0), het::access::write);
	EXPECT_EQ(may(2, 15), het::access::write);
	EXPECT_EQ(linked().chunks[1].flags, 0);
}

TEST_F(touches, a_read_is_taken_for_a_write_where_pages_cannot_be_shared)
{
	l.rules.share = false;
	EXPECT_EQ(touch_at(chunk_at(0)), verdict::done);
	EXPECT_EQ(state(0), (chunk_state{host_copy, het::access::write}));
}

TEST_F(touches, what_is_busy_is_waited_for)
{
	linked().chunks[1].flags |= chunk_busy;
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::wait);
	EXPECT_EQ(device_[0]->reads, 0);
	release_chunks(linked(), 1, 1);
	EXPECT_TRUE(trap_->was_woken(chunk_at(1)));
	EXPECT_EQ(linked().chunks[1].flags, 0);
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::done);
}

TEST_F(touches, a_held_array_is_waited_for_and_a_dead_one_is_nobodys)
{
	linked().held = true;
	EXPECT_EQ(touch_at(host), verdict::wait);
	linked().held = false;
	linked().live = false;
	EXPECT_EQ(touch_at(host), verdict::not_ours);
	linked().live = true;
	EXPECT_EQ(touch_at(host + bytes), verdict::not_ours);
	EXPECT_EQ(device_[0]->reads, 0);
}

TEST_F(touches, a_handler_does_not_call_the_device)
{
	server_.is_in_handler = true;
	EXPECT_EQ(touch_at(host), verdict::hand_over);
	EXPECT_EQ(device_[0]->reads, 0);
	EXPECT_EQ(linked().chunks[0].flags, 0);
	server_.is_in_handler = false;
	EXPECT_EQ(touch_at(host), verdict::done);
	// It does show what is at home.
	ASSERT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_only), 0);
	server_.is_in_handler = true;
	EXPECT_EQ(touch_at(host, true), verdict::done);
	EXPECT_EQ(trap_->at(host), het::access::write);
}

TEST_F(touches, without_a_copy_that_can_be_read_they_raise_sigbus)
{
	uint64_t before = failure_count();
	device_[0]->fails = true;
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_EQ(trap_->count("spoil"), 1u);
	EXPECT_EQ(trap_->count("show"), 0u);
	EXPECT_EQ(linked().chunks[1].flags, chunk_failed);
	EXPECT_EQ(failure_count(), before + 1);
	device_[0]->fails = false;
	// A kernel that writes the chunk makes it one to be touched again.
	write_on_device(0, 'l');
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_EQ(chunk_at(1)[0], 'l');
}

TEST_F(touches, another_device_answers_for_one_that_fails)
{
	ASSERT_EQ(link(1), 0);
	write_on_device(0, 'm');
	ASSERT_EQ(begin_kernel(linked(), whole(1), kernel_mode::read_only), 0);
	ASSERT_EQ(end_kernel(linked(), whole(1), nullptr), 0);
	linked().chunks[0].valid &= ~host_copy;
	memset(host, '?', chunk_bytes);
	trap_->forget();
	device_[0]->fails = true;
	EXPECT_EQ(touch_at(host), verdict::done);
	EXPECT_EQ(trap_->count("spoil"), 0u);
	EXPECT_TRUE(trap_->was_woken(host)) << "to touch again";
	EXPECT_EQ(touch_at(host), verdict::done);
	EXPECT_EQ(host[9], 'm');
	EXPECT_EQ(device_[1]->reads, 1);
}

TEST_F(touches, in_a_row_bring_more_each_time)
{
	EXPECT_EQ(touch_at(chunk_at(0)), verdict::done);
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::read) << "a window of two";
	EXPECT_EQ(trap_->at(chunk_at(3)), het::access::none);
	EXPECT_EQ(chunk_at(2)[0], 'k');
	EXPECT_EQ(l.stats.fetches.get(), 2u);
}

TEST_F(touches, the_touched_page_is_shown_first_where_they_come_one_by_one)
{
	trap_->can.by_page = true;
	EXPECT_EQ(touch_at(chunk_at(1) + 7 * page + 3), verdict::done);
	ASSERT_EQ(trap_->shown.size(), 3u);
	EXPECT_EQ(trap_->shown[0], range_of(chunk_at(1) + 7 * page, page));
	EXPECT_EQ(trap_->shown[1], range_of(chunk_at(1) + 8 * page, chunk_bytes - 8 * page));
	EXPECT_EQ(trap_->shown[2], range_of(chunk_at(1), 7 * page));
}

// Takes one fetch over.
class keeping_server final : public server
{
      public:
	unsigned lane() const override { return 0; }
	bool in_handler() const override { return false; }
	void wait_for_device(bool) override {}
	bool has_room(uint8_t, unsigned) const override { return !fetch; }
	unsigned kept() const override { return fetch.has_value(); }
	void keep(const started_fetch &f) override { fetch = f; }
	std::optional<started_fetch> fetch;
};

TEST_F(touches, a_fetch_is_kept_and_ended_later)
{
	trap_->can.by_page = true;
	linked().pinned.store(device_copy(0));
	keeping_server s;
	EXPECT_EQ(serve(l.arrays, {reinterpret_cast<uintptr_t>(chunk_at(1)), false}, s), verdict::done);
	ASSERT_TRUE(s.fetch);
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::none);
	EXPECT_EQ(linked().chunks[1].flags, chunk_busy);
	EXPECT_EQ(serve(l.arrays, {reinterpret_cast<uintptr_t>(chunk_at(3)), false}, s), verdict::later) << "no room";
	EXPECT_EQ(linked().chunks[3].flags, 0);
	finish_fetch(*s.fetch, s);
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::read);
	EXPECT_EQ(chunk_at(1)[1], 'k');
	EXPECT_EQ(linked().chunks[1].flags, 0);
	linked().pinned.store(0);
}

TEST_F(touches, tell_when_they_passed_from_hand_to_hand)
{
	EXPECT_EQ(touch_at(chunk_at(0)), verdict::done);
	EXPECT_EQ(l.last.get().shown, 0u) << "nobody had asked";
	trap_->can.by_page = true;
	linked().pinned.store(device_copy(0));
	keeping_server s;
	EXPECT_EQ(serve(l.arrays, {reinterpret_cast<uintptr_t>(chunk_at(2)), false}, s), verdict::done);
	ASSERT_TRUE(s.fetch);
	EXPECT_EQ(l.last.get().shown, 0u) << "its copy has not ended";
	finish_fetch(*s.fetch, s);
	touch_times t = l.last.get();
	EXPECT_TRUE(t.caught && t.caught <= t.locked && t.locked <= t.given && t.given <= t.started);
	EXPECT_TRUE(t.started <= t.copied && t.copied <= t.shown);
	EXPECT_EQ(t.handed, 0u);
	linked().pinned.store(0);
}

// While the lock is dropped for a copy, nobody else may have the chunk.
TEST_F(touches, a_chunk_is_busy_while_it_travels)
{
	bool was_read = false;
	device_[0]->during_read = [&] {
		array_guard g(linked());
		was_read = true;
		EXPECT_EQ(linked().chunks[1].flags, chunk_busy);
		EXPECT_EQ(trap_->at(chunk_at(1)), het::access::none) << "not before its bytes are there";
	};
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_TRUE(was_read);
}

} // namespace
