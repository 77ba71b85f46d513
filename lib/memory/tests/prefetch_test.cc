// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels in strict mode without the promise: the host has lost their chunks, hears of the end at once, and what it is
// expected to touch comes home behind them, a piece at a time, if nobody else comes first.
#include "memory/prefetch.h"

#include "memory/chunks.h"
#include "memory/history.h"
#include "memory/kernel.h"
#include "small_library.h"

#include <thread>

using namespace het;

namespace
{

constexpr chunk_state shared = {host_copy | device_copy(0), het::access::read};
constexpr chunk_state taken = {device_copy(0), het::access::none};

class prefetches : public small_library
{
      protected:
	prefetches()
	{
		l.strict = true;
		l.foresight = foresight_kind::always;
		EXPECT_EQ(link(), 0);
		touch_at(host);
		behind = run('0');
		drop_foreseen(&behind);
		touch_all();
	}
	~prefetches() override { drop_foreseen(&behind); }

	// A kernel on all bytes that fills them.
	foreseen_chunks run(char with, const bytes_soon &soon = {}) { return run(whole(), with, soon); }
	foreseen_chunks run(const usage &u, char with, const bytes_soon &soon = {})
	{
		EXPECT_EQ(begin_kernel(linked(), u, kernel_mode::read_write), 0);
		memset(buffer_at(0, u.device) + (u.part.begin - reinterpret_cast<uintptr_t>(host)), with,
		       u.part.size());
		return end(u, soon);
	}
	foreseen_chunks end(const usage &u, const bytes_soon &soon = {})
	{
		foreseen_chunks f;
		EXPECT_EQ(end_kernel(linked(), u, nullptr, nullptr, {.may = true, .soon = soon, .behind = &f}), 0);
		return f;
	}
	void touch_all(bool write = false)
	{
		for (size_t c = 0; c < chunks; c++) {
			bool may = !write && trap_->at(chunk_at(c)) != het::access::none;
			ASSERT_TRUE(may || touch_at(chunk_at(c), write) == verdict::done);
		}
	}
	void bring_all(const bytes_soon &soon = {})
	{
		while (behind.in)
			prefetch(&behind, soon);
	}
	bool expects(size_t c) { return linked().foreseen->expects(uint32_t(c)) != expectation::nothing; }
	range at(size_t first, size_t n) const { return range_of(host + first, n); }
	bool is_busy(size_t c) { return linked().chunks[c].flags & chunk_busy; }
	size_t read_since(size_t before) const { return device_[0]->bytes_read - before; }

	foreseen_chunks behind;
};

TEST_F(prefetches, nobody_waits_for_them)
{
	behind = run('k');
	ASSERT_EQ(behind.in, &linked());
	EXPECT_EQ(linked().visitors, 0u);
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::none);
		EXPECT_EQ(state(c), taken);
		EXPECT_FALSE(is_busy(c));
	}
	bring_all();
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'k'));
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::read);
		EXPECT_EQ(state(c), shared);
		EXPECT_EQ(linked().chunks[c].flags, 0);
	}
	EXPECT_EQ(l.stats.foreseen_bytes.get(), bytes);
}

TEST_F(prefetches, what_will_be_written_is_the_hosts)
{
	touch_all(true);
	behind = run('w');
	bring_all();
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::write);
		EXPECT_EQ(state(c), (chunk_state{host_copy, het::access::write}));
	}
	memset(host, 'z', bytes);
	ASSERT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_write), 0);
	EXPECT_EQ(trap_->at(host), het::access::none);
	EXPECT_EQ(buffer_at(3)[9], 'z');
	end(whole());
}

// The host writes as soon as it can, and hands the array to a kernel, which must know by then whose bytes count.
TEST_F(prefetches, a_chunk_takes_its_step_before_it_is_seen)
{
	touch_all(true);
	behind = run('s');
	unsigned seen = 0;
	trap_->during_admit = [&] {
		seen++;
		EXPECT_EQ(state(0).valid, host_copy);
		EXPECT_TRUE(is_busy(0));
	};
	bring_all();
	trap_->during_admit = nullptr;
	EXPECT_EQ(seen, 1u);
}

TEST_F(prefetches, a_touch_before_it_needs_no_second_copy)
{
	size_t before = device_[0]->bytes_read;
	behind = run('t');
	ASSERT_EQ(touch_at(chunk_at(2)), verdict::done);
	EXPECT_EQ(*chunk_at(2), 't');
	bring_all();
	EXPECT_EQ(read_since(before), bytes);
	EXPECT_EQ(state(2), shared);
}

TEST_F(prefetches, a_touch_beside_it_waits_for_the_piece)
{
	behind = run('p');
	device_[0]->during_read = [&] {
		device_[0]->during_read = nullptr;
		EXPECT_EQ(trap_->at(chunk_at(1)), het::access::none) << "shown before the copy has ended";
		EXPECT_EQ(touch_at(chunk_at(1)), verdict::wait);
	};
	trap_->forget();
	bring_all();
	EXPECT_TRUE(trap_->was_woken(chunk_at(1)));
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::read);
}

TEST_F(prefetches, a_reader_on_the_device_does_not_wait)
{
	behind = run('r');
	device_[0]->during_read = [&] {
		device_[0]->during_read = nullptr;
		EXPECT_TRUE(is_busy(0));
		EXPECT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_only), 0);
	};
	bring_all();
	EXPECT_EQ(state(0), shared);
	EXPECT_EQ(end_kernel(linked(), whole(), nullptr), 0);
	EXPECT_EQ(state(0), shared);
}

TEST_F(prefetches, what_a_kernel_has_got_is_left_to_it)
{
	behind = run('1');
	usage middle = part(chunk_bytes, 2 * chunk_bytes);
	ASSERT_EQ(begin_kernel(linked(), middle, kernel_mode::read_write), 0);
	size_t before = device_[0]->bytes_read;
	bring_all();
	EXPECT_EQ(read_since(before), 2 * chunk_bytes);
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::none);
	memset(buffer_at(1), '2', 2 * chunk_bytes);
	behind = end(middle);
	EXPECT_EQ(state(1), taken);
	bring_all();
	EXPECT_EQ(std::string(chunk_at(1), 2 * chunk_bytes), std::string(2 * chunk_bytes, '2'));
	EXPECT_EQ(*host, '1');
}

// An older list finds what a later kernel has left as if it were its own, which is as good.
TEST_F(prefetches, a_list_may_be_old)
{
	foreseen_chunks old = run('o');
	behind = run('n');
	ASSERT_TRUE(old.in);
	size_t before = device_[0]->bytes_read;
	while (old.in)
		prefetch(&old, {});
	bring_all();
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'n'));
	EXPECT_EQ(read_since(before), bytes);
}

// Of queued steps the first one has ended since, and nobody knows yet what the host touches behind the last.
TEST_F(prefetches, a_list_from_before_queued_steps_is_dropped)
{
	const range everything[] = {at(0, bytes)};
	foreseen_chunks old = run('o');
	ASSERT_TRUE(old.in);
	EXPECT_EQ(run('q', {.written = everything}).in, nullptr);
	size_t before = device_[0]->bytes_read;
	EXPECT_TRUE(expects(0));
	prefetch(&old, {});
	EXPECT_EQ(old.in, nullptr);
	EXPECT_EQ(read_since(before), 0u);
	for (size_t c = 0; c < chunks; c++)
		EXPECT_FALSE(expects(c)) << "the host has it not";
}

// What did not come is not taken for what the host had, and did not touch.
TEST_F(prefetches, what_is_dropped_is_not_expected_any_longer)
{
	behind = run('d');
	foreseen_chunks later = run('l');
	drop_foreseen(&behind);
	EXPECT_TRUE(expects(0)) << "by a later end";
	drop_foreseen(&later);
	for (size_t c = 0; c < chunks; c++)
		EXPECT_FALSE(expects(c));
}

TEST_F(prefetches, what_others_will_write_does_not_come)
{
	const range soon[] = {at(chunk_bytes + 7, 1), at(3 * chunk_bytes - 1, 2)};
	size_t before = device_[0]->bytes_read;
	behind = run('s', {.written = soon});
	bring_all();
	EXPECT_EQ(read_since(before), chunk_bytes);
	EXPECT_EQ(state(0), shared);
	EXPECT_EQ(state(1), taken);
	const range everything[] = {at(0, bytes)};
	EXPECT_EQ(run('e', {.written = everything}).in, nullptr);
	behind = run('l');
	bring_all({.written = everything});
	EXPECT_EQ(state(0), taken);
}

// The host writes all of it each time, but kernels are about to read some of it: one that was known at the end, and one
// that came since.
TEST_F(prefetches, what_others_will_read_stays_with_the_device)
{
	touch_all(true);
	const range known[] = {at(chunk_bytes + 7, 1)}, later[] = {at(2 * chunk_bytes, 1)};
	behind = run('q', {.read = known});
	bring_all({.read = later});
	EXPECT_EQ(state(0), (chunk_state{host_copy, het::access::write}));
	for (size_t c : {1, 2}) {
		EXPECT_EQ(state(c), shared);
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::read);
	}
	EXPECT_EQ(state(3), (chunk_state{host_copy, het::access::write}));
}

TEST_F(prefetches, another_devices_kernel_comes_first)
{
	ASSERT_EQ(link(1), 0);
	behind = run('d');
	ASSERT_EQ(begin_kernel(linked(), whole(1), kernel_mode::read_write), 0);
	EXPECT_EQ(buffer_[1], buffer_[0]);
	size_t before = device_[0]->bytes_read;
	bring_all();
	EXPECT_EQ(read_since(before), 0u);
	end(whole(1));
}

TEST_F(prefetches, a_copy_that_fails_changes_nothing)
{
	behind = run('f');
	device_[0]->fails = true;
	bring_all();
	device_[0]->fails = false;
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(state(c), taken);
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::none);
		EXPECT_EQ(linked().chunks[c].flags, 0);
	}
	EXPECT_EQ(linked().visitors, 0u);
	ASSERT_EQ(touch_at(chunk_at(2)), verdict::done);
	EXPECT_EQ(*chunk_at(2), 'f');
}

TEST_F(prefetches, pages_that_cant_be_shown_are_a_touch_away)
{
	behind = run('v');
	trap_->admit_error = -ENOMEM;
	bring_all();
	trap_->admit_error = 0;
	EXPECT_EQ(state(0), (chunk_state{device_copy(0) | host_copy, het::access::none}));
	size_t before = device_[0]->bytes_read;
	ASSERT_EQ(touch_at(host), verdict::done);
	EXPECT_EQ(read_since(before), 0u);
	EXPECT_EQ(*host, 'v');
}

TEST_F(prefetches, the_array_may_go_and_another_come)
{
	behind = run('g');
	ASSERT_EQ(unlink_array(l, host, 0), 0);
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'g'));
	array *before = behind.in;
	ASSERT_EQ(link(), 0);
	ASSERT_EQ(&linked(), before) << "objects are used anew";
	size_t reads = device_[0]->bytes_read;
	usage u = whole();
	ASSERT_EQ(begin_kernel(linked(), u, kernel_mode::read_write), 0);
	EXPECT_EQ(end(u).in, nullptr);
	bring_all();
	EXPECT_EQ(read_since(reads), 0u);
	EXPECT_EQ(state(0), taken);
}

TEST_F(prefetches, unlink_waits_for_the_piece_alone)
{
	behind = run('u');
	std::thread other;
	device_[0]->during_read = [&] {
		device_[0]->during_read = nullptr;
		other = std::thread([&] { EXPECT_EQ(unlink_array(l, host, 0), 0); });
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
	};
	bring_all();
	other.join();
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'u'));
}

TEST_F(prefetches, what_cant_be_read_only_is_the_hosts)
{
	l.rules.share = false;
	behind = run('x');
	bring_all();
	EXPECT_EQ(state(0), (chunk_state{host_copy, het::access::write}));
	EXPECT_EQ(trap_->at(host), het::access::write);
}

} // namespace
