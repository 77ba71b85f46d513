// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Of what is ready for a device the most urgent comes first, and urgency is lent.
#include "harness/runtime.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

using namespace selftest;

// --- what is ready -------------------------------------------------------------

namespace
{

std::atomic<bool> is_waiting, let_go;
std::atomic<unsigned> order_count;
std::atomic<int> order[16];

void wait_on_host(const het_group *, void *const *)
{
	is_waiting = true;
	while (!let_go)
		std::this_thread::yield();
}

void note_on_host(const het_group *, void *const *args)
{
	order[order_count++] = *static_cast<const int *>(args[0]);
}

struct noting {
	explicit noting(runtime_fixture &fx) : queue(fx.queue)
	{
		const het_function functions[] = {{"wait", wait_on_host, 0}, {"note", note_on_host, 1}};
		make_program(program, nullptr, functions);
		HET_OK(het_kernel_create(program, "wait", wait.out()));
		HET_OK(het_kernel_create(program, "note", note.out()));
		launch(wait, 0, 0, nullptr);
		while (!is_waiting)
			std::this_thread::yield();
	}
	void launch(het_kernel *kernel, int number, int priority, het_event **event, het_event *after = nullptr,
		    uint64_t deadline_ns = 0)
	{
		const het_arg args[] = {value_arg(number)};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel;
		l.dimensions = 1;
		l.global[0] = l.local[0] = 1;
		l.arg_size = sizeof(het_arg);
		l.nargs = kernel == note;
		l.args = args;
		l.nwaits = after != nullptr;
		l.waits = &after;
		l.priority = priority;
		l.deadline_ns = deadline_ns;
		HET_OK(het_launch(queue, &l, event));
	}
	// Who waits for a launch runs it himself, whatever else is ready; the worker takes what comes first.
	void finish(unsigned count)
	{
		let_go = true;
		while (order_count < count)
			std::this_thread::yield();
		HET_OK(het_finish(queue));
	}

	het_queue *queue;
	program_handle program;
	kernel_handle wait, note;
};

} // namespace

TEST(the_most_urgent_of_those_that_are_ready_comes_first, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	for (int priority : {-8, 1, 5, 7, 6, 2})
		n.launch(n.note, priority, priority, nullptr);
	n.finish(6);
	CHECK_EQ(order[0].load(), 7);
}

TEST(what_an_urgent_launch_waits_for_becomes_urgent, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	event_handle first, second;
	n.launch(n.note, 1, -6, nullptr);
	n.launch(n.note, 2, -8, first.out());
	n.launch(n.note, 3, -7, second.out(), first);
	n.launch(n.note, 4, 7, nullptr, second);
	n.finish(4);
	CHECK_EQ(order[0].load(), 2);
}

namespace
{

std::atomic<bool> has_begun, urgent_is_there, urgent_has_run;
std::atomic<unsigned> groups_after_it;

// Each group waits until the urgent launch is there, and a while for that to run.
void be_long_on_host(const het_group *, void *const *)
{
	constexpr unsigned a_while = 500;
	has_begun = true;
	while (!urgent_is_there)
		std::this_thread::yield();
	for (unsigned i = 0; i < a_while && !urgent_has_run; i++)
		std::this_thread::yield();
	groups_after_it += urgent_has_run;
}

void be_urgent_on_host(const het_group *, void *const *)
{
	urgent_has_run = true;
}

} // namespace

// Nobody waits for the urgent one, who would run it himself; and all threads that there are have the long one.
TEST(between_groups_of_the_host_something_more_urgent_comes, .traps = trap::best,
     .devices = device::none | device::host)
{
	runtime_fixture fx(t);
	const het_function functions[] = {{"be_long", be_long_on_host, 0}, {"be_urgent", be_urgent_on_host, 0}};
	program_handle program;
	kernel_handle slow, fast;
	make_program(program, nullptr, functions);
	HET_OK(het_kernel_create(program, "be_long", slow.out()));
	HET_OK(het_kernel_create(program, "be_urgent", fast.out()));
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = slow;
	l.dimensions = 1;
	l.local[0] = 1;
	l.global[0] = 1000;
	l.arg_size = sizeof(het_arg);
	event_handle long_one;
	HET_OK(het_launch(fx.queue, &l, long_one.out()));
	while (!has_begun)
		std::this_thread::yield();
	l.kernel = fast;
	l.global[0] = 1;
	l.priority = 7;
	HET_OK(het_launch(fx.queue, &l, nullptr));
	urgent_is_there = true;
	wait_for(long_one);
	CHECK(groups_after_it > 0);
	CHECK_EQ(preemption_of(long_one).stops, 1u);
}

TEST(queues_that_say_nothing_have_the_priority_of_the_environment, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t, 0, "HET_PRIORITY=5");
	noting n(fx);
	n.launch(n.note, 1, 4, nullptr);
	n.launch(n.note, 2, 0, nullptr);
	n.launch(n.note, 3, -8, nullptr);
	n.finish(3);
	CHECK_EQ(order[0].load(), 2);
}

TEST(priorities_are_checked, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	HET_OK(het_queue_set_priority(fx.queue, 7));
	HET_OK(het_queue_set_priority(fx.queue, -8));
	HET_ERR(het_queue_set_priority(fx.queue, 8), HET_EARG);
	HET_ERR(het_queue_set_priority(fx.queue, -9), HET_EARG);
	HET_ERR(het_queue_set_priority(nullptr, 0), HET_ENULL);
	het_queue_args q = {};
	q.size = sizeof q;
	q.priority = 9;
	queue_handle other;
	HET_ERR(het_queue_create(&q, other.out()), HET_EARG);
	q.priority = 0;
	q.reserved = 1;
	HET_ERR(het_queue_create(&q, other.out()), HET_EARG);
	q.size = offsetof(het_queue_args, priority);
	HET_OK(het_queue_create(&q, other.out()));
	uint8_t byte = 0, one = 1;
	const uint64_t length = 1;
	const het_arg args[] = {range_arg(&byte, 1, HET_READ_WRITE), value_arg(one), value_arg(length)};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = fx.add;
	l.dimensions = 1;
	l.global[0] = 1;
	l.arg_size = sizeof(het_arg);
	l.nargs = std::size(args);
	l.args = args;
	l.priority = -9;
	HET_ERR(het_launch(fx.queue, &l, nullptr), HET_EARG);
	l.size = offsetof(het_launch_args, priority);
	event_handle e;
	HET_OK(het_launch(other, &l, e.out()));
	HET_OK(het_finish(other));
	CHECK_EQ(byte, 1);
	het_preemption p = {};
	HET_ERR(het_event_preemption(e, &p), HET_EARG);
	HET_ERR(het_event_preemption(nullptr, &p), HET_ENULL);
	HET_ERR(het_event_preemption(e, nullptr), HET_ENULL);
	CHECK_EQ(preemption_of(e).stops, 0u);
}

// --- deadlines -----------------------------------------------------------------

namespace
{

constexpr uint64_t ms = 1'000'000;

// Returns which one came first of those that were ready, and did not rise above another.
int first_by_deadline(const context &t, const char *setting)
{
	runtime_fixture fx(t, 0, setting);
	noting n(fx);
	event_handle last;
	n.launch(n.note, 1, 0, nullptr, nullptr);
	n.launch(n.note, 2, 0, nullptr, nullptr, 100'000 * ms);
	n.launch(n.note, 3, 0, last.out(), nullptr, 50'000 * ms);
	n.launch(n.note, 4, 0, nullptr, nullptr, 80'000 * ms);
	n.finish(4);
	CHECK_EQ(preemption_of(last).deadline_ns, 50'000 * ms);
	CHECK_EQ(preemption_of(last).late_ns, 0u);
	return order[0] * 1000 + order[1] * 100 + order[2] * 10 + order[3];
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
		n.launch(n.note, number, 5, nullptr);
	n.launch(n.note, 3, -8, before.out());
	n.launch(n.note, 4, -8, late.out(), before, 20 * ms);
	std::this_thread::sleep_for(std::chrono::milliseconds(200));
	n.finish(4);
	CHECK_EQ(order[0].load(), 3);
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
	n.launch(n.note, 1, 0, events[0].out());
	n.launch(n.note, 2, 0, events[1].out(), nullptr, 7000 * ms);
	n.launch(n.note, 3, 0, events[2].out(), nullptr, UINT64_MAX);
	let_go = true;
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
