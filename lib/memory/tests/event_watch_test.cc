// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that are ended by an event, behind which something is expected to be touched: their events come about in any
// order, or never, or tell of a failure.
#include "memory/event_watch.h"

#include "memory/adopt.h"
#include "memory/chunks.h"
#include "memory/failure.h"
#include "memory/history.h"
#include "memory/kernel.h"
#include "small_library.h"

#include <atomic>
#include <thread>

using namespace het;

namespace
{

constexpr chunk_state shared = {host_copy | device_copy(0), het::access::read};
constexpr chunk_state taken = {device_copy(0), het::access::none};
constexpr uint64_t us = 1000, ms = 1000 * us;

class event_watches : public small_library
{
      protected:
	event_watches()
	{
		l.foresight = foresight_kind::always;
		EXPECT_EQ(link(), 0);
		touch_at(host);
		run('0');
		touch_all();
		EXPECT_EQ(look(), event_watch::never);
	}
	// Nobody watches what is left.
	~event_watches() override
	{
		for (auto *d : device_)
			d->kernel = event_state::done;
		now_ += 1000000 * ms;
		EXPECT_EQ(look(), event_watch::never);
	}

	// A kernel on all bytes fills them, and is ended while its device says that it is @then.
	void run(char with, event_state then = event_state::done, unsigned device = 0)
	{
		device_[device]->kernel = event_state::done;
		ASSERT_EQ(begin_kernel(linked(), whole(device), kernel_mode::read_write), 0);
		memset(buffer_at(0, device), with, bytes);
		device_[device]->kernel = then;
		end_by_event(linked(), whole(device));
	}
	void end_by_event(array &a, const usage &u)
	{
		int err;
		pending_kernel *p = make_pending(l, u.device, &event_, &err);
		ASSERT_NE(p, nullptr);
		ASSERT_EQ(end_kernel(a, u, p), 0);
	}
	void touch_all()
	{
		for (size_t c = 0; c < chunks; c++) {
			bool may = trap_->at(chunk_at(c)) != het::access::none;
			ASSERT_TRUE(may || touch_at(chunk_at(c)) == verdict::done);
		}
	}
	// Looks until there is nothing to do at this time.
	uint64_t look()
	{
		uint64_t next = l.events.look(now_);
		while (next <= now_)
			next = l.events.look(now_);
		return next;
	}
	bool expects_nothing()
	{
		for (uint32_t c = 0; c < chunks; c++) {
			if (linked().foreseen->expects(c) != expectation::nothing)
				return false;
		}
		return true;
	}

	char event_;
	uint64_t now_ = 1000 * ms;
};

TEST_F(event_watches, bytes_come_home_behind_the_event)
{
	run('k', event_state::under_way);
	size_t before = device_[0]->bytes_read;
	EXPECT_NE(look(), event_watch::never);
	EXPECT_EQ(device_[0]->bytes_read, before);
	EXPECT_NE(linked().pending, nullptr);
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::none);
		EXPECT_EQ(state(c), taken);
	}
	device_[0]->kernel = event_state::done;
	now_ += 100 * ms;
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(linked().pending, nullptr);
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'k'));
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::read);
		EXPECT_EQ(state(c), shared);
	}
}

// In strict mode the pages are gone since the begin, and the event is what the host may see the bytes after.
TEST_F(event_watches, strict_mode_has_it_too)
{
	l.strict = true;
	run('s', event_state::under_way);
	look();
	EXPECT_EQ(trap_->at(host), het::access::none);
	device_[0]->kernel = event_state::done;
	now_ += 100 * ms;
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(state(0), shared);
	EXPECT_EQ(*host, 's');
}

// Drivers make a kernel's bytes visible to who has waited, and not to who has asked.
TEST_F(event_watches, bytes_are_read_by_who_has_waited)
{
	run('w');
	int waits = device_[0]->waits;
	device_[0]->during_read = [&] { EXPECT_GT(device_[0]->waits, waits); };
	look();
	device_[0]->during_read = nullptr;
	EXPECT_EQ(state(0), shared);
}

// Drivers end with the process, and a call that met that would fail.
TEST_F(event_watches, nothing_comes_home_at_exit)
{
	for (event_state then : {event_state::under_way, event_state::done}) {
		l.leaving = false;
		touch_all();
		run('x', then);
		size_t before = device_[0]->bytes_read;
		l.leaving = true;
		EXPECT_EQ(look(), event_watch::never);
		EXPECT_EQ(device_[0]->bytes_read, before);
		device_[0]->kernel = event_state::done;
		ASSERT_EQ(touch_at(host), verdict::done);
		EXPECT_EQ(*host, 'x') << "handlers of the program may touch";
	}
}

TEST_F(event_watches, each_event_is_given_back_once)
{
	int before = device_[0]->released;
	run('1', event_state::under_way);
	EXPECT_EQ(device_[0]->released, before);
	look();
	EXPECT_EQ(device_[0]->released, before);
	device_[0]->kernel = event_state::done;
	// Who waits gives it back, though it is watched still.
	ASSERT_EQ(touch_at(host), verdict::done);
	EXPECT_EQ(device_[0]->released, before + 1);
	now_ += 100 * ms;
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(device_[0]->released, before + 1);
	run('2');
	look();
	EXPECT_EQ(device_[0]->released, before + 2);
}

TEST_F(event_watches, a_touch_before_them_needs_no_second_copy)
{
	run('t');
	size_t before = device_[0]->bytes_read;
	ASSERT_EQ(touch_at(chunk_at(2)), verdict::done);
	EXPECT_EQ(*chunk_at(2), 't');
	look();
	EXPECT_EQ(device_[0]->bytes_read - before, bytes);
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 't'));
}

TEST_F(event_watches, an_event_that_never_comes_holds_up_nobody)
{
	auto *other =
		static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	ASSERT_EQ(link_array(l, other, bytes, 1, buffer_[1].data(), {}), 0);
	array &b = *l.arrays.find(reinterpret_cast<uintptr_t>(other));
	usage u = {1, range_of(other, bytes), true};
	run('n', event_state::under_way);
	for (char with : {'1', '2', '3'}) {
		ASSERT_EQ(begin_kernel(b, u, kernel_mode::read_write), 0);
		memset(buffer_[1].data(), with, bytes);
		end_by_event(b, u);
		now_ += 100 * ms;
		EXPECT_NE(look(), event_watch::never);
		bool may = trap_->at(other) != het::access::none;
		ASSERT_TRUE(may || touch_at(other) == verdict::done);
		EXPECT_EQ(*other, with);
	}
	EXPECT_GE(l.stats.foreseen_bytes.get(), bytes);
	EXPECT_EQ(state(0), taken);
	ASSERT_EQ(unlink_array(l, other, 1), 0);
	munmap(other, bytes);
}

// Nobody foresees what a kernel has not made; and it is told to who needs its bytes.
TEST_F(event_watches, a_failure_is_told_to_who_touches)
{
	run('f', event_state::failed);
	size_t before = device_[0]->bytes_read;
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(device_[0]->bytes_read, before);
	EXPECT_TRUE(expects_nothing());
	EXPECT_NE(linked().pending, nullptr);
	uint64_t failures = failure_count();
	ASSERT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_EQ(failure_count(), failures + 1);
	EXPECT_TRUE(linked().chunks[1].flags & chunk_failed);
	EXPECT_EQ(trap_->count("spoil"), 1u);
}

TEST_F(event_watches, a_failure_is_told_to_the_next_begin)
{
	run('f', event_state::failed);
	int before = device_[0]->released;
	look();
	EXPECT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_write), GPUVM_EDEVALLOC);
	EXPECT_EQ(linked().pending, nullptr);
	EXPECT_EQ(device_[0]->released, before + 1);
}

// A touch has heard of the failure first: what else the kernel should have made is not foreseen either.
TEST_F(event_watches, a_failure_that_others_heard_of)
{
	run('f', event_state::failed);
	ASSERT_EQ(touch_at(chunk_at(1)), verdict::done);
	size_t before = device_[0]->bytes_read;
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(device_[0]->bytes_read, before);
	EXPECT_TRUE(expects_nothing());
}

// The event may be memory of the program's, which is free when a wait has ended.
TEST_F(event_watches, a_wait_ends_after_a_look)
{
	run('l');
	std::atomic<bool> has_waited{false};
	std::thread other;
	int waits = device_[0]->waits;
	device_[0]->during_look = [&] {
		other = std::thread([&] {
			array_guard g(linked());
			EXPECT_EQ(settle(linked(), g), 0);
			has_waited = true;
		});
		while (device_[0]->waits == waits)
			std::this_thread::yield();
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		EXPECT_FALSE(has_waited);
		array_guard g(linked());
		EXPECT_NE(linked().pending, nullptr); // or who comes now would not wait
	};
	l.events.look(now_);
	device_[0]->during_look = nullptr;
	other.join();
	EXPECT_EQ(linked().pending, nullptr);
	l.events.look(now_ + 1'000'000'000);
	EXPECT_EQ(state(0), shared);
}

TEST_F(event_watches, the_array_may_go)
{
	run('g');
	int before = device_[0]->released;
	ASSERT_EQ(unlink_array(l, host, 0), 0);
	EXPECT_EQ(device_[0]->released, before + 1);
	size_t reads = device_[0]->bytes_read;
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(device_[0]->bytes_read, reads);
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'g'));
}

// A kernel that began without a lock has the bytes, which are not to be seen before it has ended.
TEST_F(event_watches, a_kernel_on_the_fast_path_comes_first)
{
	run('1');
	ASSERT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_only), 0);
	ASSERT_EQ(end_kernel(linked(), whole(), nullptr), 0);
	ASSERT_NE(linked().fast.load(), 0u);
	ASSERT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_write), 0);
	ASSERT_NE(linked().fast.load(), 0u) << "it began on the slow path";
	size_t before = device_[0]->bytes_read;
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(device_[0]->bytes_read, before);
	EXPECT_EQ(linked().fast.load(), 0u);
	memset(buffer_at(0), '2', bytes);
	ASSERT_EQ(end_kernel(linked(), whole(), nullptr), 0);
	touch_all();
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, '2'));
}

TEST_F(event_watches, a_copy_that_fails_changes_nothing)
{
	run('c');
	device_[0]->fails = true;
	EXPECT_EQ(look(), event_watch::never);
	device_[0]->fails = false;
	EXPECT_EQ(state(0), taken);
	EXPECT_TRUE(expects_nothing());
	ASSERT_EQ(touch_at(host), verdict::done);
	EXPECT_EQ(*host, 'c');
}

TEST_F(event_watches, what_is_known_of_an_array_is_left_alone_when_that_goes)
{
	run('g');
	retire_array(linked());
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_FALSE(expects_nothing());
	release_array(linked());
}

TEST_F(event_watches, nothing_is_asked_often)
{
	run('o', event_state::under_way);
	int before = device_[0]->looks;
	EXPECT_EQ(look(), now_ + 50 * us);
	EXPECT_EQ(device_[0]->looks, before + 1);
	now_ += 49 * us;
	EXPECT_EQ(look(), now_ + us);
	EXPECT_EQ(device_[0]->looks, before + 1);
	now_ += 16 * ms - 49 * us;
	EXPECT_EQ(look(), now_ + ms);
	now_ += 1000000 * ms;
	EXPECT_EQ(look(), now_ + 20 * ms);
}

TEST_F(event_watches, without_foresight_nobody_is_watched)
{
	forget_touches(linked());
	l.foresight = foresight_kind::off;
	int before = device_[0]->looks;
	run('w');
	EXPECT_EQ(look(), event_watch::never);
	EXPECT_EQ(device_[0]->looks, before);
	EXPECT_EQ(state(0), taken);
}

} // namespace
