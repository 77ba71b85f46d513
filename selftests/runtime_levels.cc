// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Of what is ready for a device the most urgent comes first, and urgency is lent.
#include "harness/noting.h"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

using namespace selftest;

TEST(the_most_urgent_of_those_that_are_ready_comes_first, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	for (int priority : {-8, 1, 5, 7, 6, 2})
		n.note(priority, priority, nullptr);
	n.finish(6);
	CHECK_EQ(noting::order[0].load(), 7);
}

TEST(what_an_urgent_launch_waits_for_becomes_urgent, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	event_handle first, second;
	n.note(1, -6, nullptr);
	n.note(2, -8, first.out());
	n.note(3, -7, second.out(), first);
	n.note(4, 7, nullptr, second);
	n.finish(4);
	CHECK_EQ(noting::order[0].load(), 2);
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
	n.note(1, 4, nullptr);
	n.note(2, 0, nullptr);
	n.note(3, -8, nullptr);
	n.finish(3);
	CHECK_EQ(noting::order[0].load(), 2);
}

TEST(priorities_are_checked, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	HET_OK(het_queue_set_priority(fx.queue, 7));
	HET_OK(het_queue_set_priority(fx.queue, -8));
	HET_ERR(het_queue_set_priority(fx.queue, 8), HET_EARG);
	HET_OK(het_queue_announce(fx.queue, 0));
	HET_ERR(het_queue_announce(nullptr, 1000), HET_ENULL);
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
