// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Commands that are to have ended by some time become more urgent as that comes nearer.
#include "harness/clock.h"
#include "harness/noting.h"
#include "harness/proc.h"

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

using namespace selftest;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
// The library uses the program's operator delete. Whoever looks at a command that is gone is to notice.
void operator delete(void *p, size_t n) noexcept
{
	static void *(*const volatile fill)(void *, int, size_t) =
		memset; // the compiler would leave it out before free()
	fill(p, 0xee, n);
	free(p);
}

void operator delete(void *p) noexcept
{
	free(p);
}

void operator delete(void *p, size_t n, std::align_val_t) noexcept
{
	operator delete(p, n);
}

void operator delete(void *p, std::align_val_t) noexcept
{
	free(p);
}
#endif

namespace
{

constexpr uint64_t ms = 1'000'000;

// Returns which one came first of those that were ready, and did not rise above another.
int first_by_deadline(const context &t, const char *setting)
{
	runtime_fixture fx(t, 0, setting);
	noting n(fx);
	event_handle last;
	n.note(1, 0, nullptr, nullptr);
	n.note(2, 0, nullptr, nullptr, 100'000 * ms);
	n.note(3, 0, last.out(), nullptr, 50'000 * ms);
	n.note(4, 0, nullptr, nullptr, 80'000 * ms);
	n.finish(4);
	CHECK_EQ(preemption_of(last).deadline_ns, 50'000 * ms);
	CHECK_EQ(preemption_of(last).late_ns, 0u);
	int digits = 0;
	for (unsigned i = 0; i < 4; i++)
		digits = 10 * digits + noting::order[i];
	return digits;
}

// Returns the first word of such a line of the status of the thread that looks, or nothing if there is no such thread.
std::string status_of_thread(const std::string &line)
{
	for (const std::string &id : numbers_in("/proc/self/task")) {
		std::ifstream status("/proc/self/task/" + id + "/status");
		std::string word, value;
		bool is_it = false;
		while (status >> word >> value) {
			is_it |= word == "Name:" && value == "het-deadline";
			if (is_it && word == line)
				return value;
			status.ignore(1 << 16, '\n');
		}
	}
	return "";
}

} // namespace

// What has no deadline came long before the others are due.
TEST(what_is_due_first_comes_first, .traps = trap::best, .devices = device::none)
{
	CHECK_EQ(first_by_deadline(t, "HET_URGENCY=deadline"), 1342);
}

TEST(deadlines_do_not_count_where_priorities_do, .traps = trap::best, .devices = device::none)
{
	CHECK_EQ(first_by_deadline(t, "HET_URGENCY=priority"), 1234);
}

// It was the least urgent when it came, and what it waits for is as urgent as itself.
TEST(what_comes_too_late_has_become_urgent, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	event_handle before, late;
	for (int number : {1, 2})
		n.note(number, 5, nullptr);
	n.note(3, -8, before.out());
	n.note(4, -8, late.out(), before, 20 * ms);
	sleep_ms(200);
	// It sleeps again when it has raised them, however late it was.
	wait_until([] { return status_of_thread("State:") == "S"; });
	n.finish(4);
	CHECK_EQ(noting::order[0].load(), 3);
	const het_preemption p = preemption_of(late);
	CHECK_EQ(p.deadline_ns, 20 * ms);
	CHECK(p.late_ns > 100 * ms);
	CHECK_EQ(preemption_of(before).late_ns, 0u);
}

TEST(launches_have_the_deadline_of_their_queue, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	het_queue_args q = {};
	q.size = sizeof q;
	q.deadline_ns = 60'000 * ms;
	queue_handle timed;
	HET_OK(het_queue_create(&q, timed.out()));
	n.queue = timed;
	event_handle events[3];
	n.note(1, 0, events[0].out());
	n.note(2, 0, events[1].out(), nullptr, 7000 * ms);
	n.note(3, 0, events[2].out(), nullptr, UINT64_MAX);
	noting::let_go = true;
	HET_OK(het_finish(timed));
	CHECK_EQ(preemption_of(events[0]).deadline_ns, 60'000 * ms);
	CHECK_EQ(preemption_of(events[1]).deadline_ns, 7000 * ms);
	CHECK_EQ(preemption_of(events[2]).deadline_ns, 0u);
	het_preemption old = {};
	old.size = offsetof(het_preemption, deadline_ns);
	old.deadline_ns = 5;
	HET_OK(het_event_preemption(events[0], &old));
	CHECK_EQ(old.deadline_ns, 5u);
}

// --- the thread that looks when the next one rises ------------------------------------

// One of them starts the thread, and the other one's rises all the same. Both are less urgent than what runs until they
// are late.
TEST(the_first_deadlines_of_two_threads_count, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx, 2);
	std::atomic<unsigned> ready{0};
	auto launch = [&](int number) {
		ready++;
		while (ready < 2)
			;
		n.note(number, -8, nullptr, nullptr, 20 * ms);
	};
	std::thread other([&] { launch(1); });
	launch(2);
	other.join();
	wait_until([] { return noting::count == 2; });
	n.finish(2);
}

// There is one level, and it rises once, when it comes into the graph or soon after.
TEST(what_it_waits_for_rises_with_the_first_deadline, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t, 0, "HET_PRIORITY=5");
	noting n(fx, 2);
	event_handle before;
	n.note(1, 0, before.out());
	n.note(2, 0, nullptr, before, 256 * ms + ms / 3);
	wait_until([] { return noting::count == 2; });
	n.finish(2);
	CHECK_EQ(noting::order[0].load(), 1);
}

// Their memory is used again and again.
TEST(what_has_ended_is_forgotten, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	n.finish(0);
	for (int i = 0; i < 500; i++) {
		event_handle e;
		n.note(i, 0, e.out(), nullptr, 300 * ms);
		wait_for(e);
	}
	sleep_ms(100); // until the first of them would have risen
	event_handle last;
	n.note(0, 0, last.out(), nullptr, 300 * ms);
	wait_for(last);
	CHECK_EQ(noting::count.load(), 501u);
}

// It may give back the last reference of a command, which may touch what the program has.
TEST(the_thread_takes_faults, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	event_handle e;
	n.note(1, 0, e.out(), nullptr, 300 * ms);
	n.finish(1);
	constexpr uint64_t faults = 1 << (SIGSEGV - 1) | 1 << (SIGBUS - 1);
	auto blocked = [] {
		const std::string mask = status_of_thread("SigBlk:");
		return mask.empty() ? faults : std::stoull(mask, nullptr, 16);
	};
	wait_until([&] { return !(blocked() & faults); });
}
