// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels on CUDA devices stop for more urgent ones and go on: each effect of each block happens once.
#include "harness/turns.h"

#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{

constexpr uint32_t group = turns_arrays::group;

struct urgency {
	int priority = 7;
	uint64_t deadline_ns = 0;
};

// Runs a long launch and an urgent one beside it, and tells how the first was stopped. Returns the ends of the kernels
// for the two, in their order, as bits behind a first 1: 1 for one on an urgent stream, 0 for another.
unsigned run_beside(const context &t, const char *setting, het_preemption &stopped, bool has_streams = true,
		    urgency of_urgent = {})
{
	runtime_fixture fx(t, 0, setting);
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	const int before = fake_cuda_driver().kernels_begun;
	turns_arrays victim(16 * group), urgent(group);
	event_handle long_one, short_one;
	{
		held_in_the_middle held(500);
		victim.launch(fx.queue, kernel, 50, -3, long_one.out());
		held.wait();
		urgent.deadline_ns = of_urgent.deadline_ns;
		urgent.launch(fx.queue, kernel, 5, of_urgent.priority, short_one.out());
		if (has_streams)
			wait_until_it_waits(short_one, before + 2);
	}
	wait_for(short_one);
	wait_for(long_one);
	const int kernels = fake_cuda_driver().kernels_begun - before; // touches may have kernels of their own
	const unsigned ends = 1u << kernels | unsigned(fake_cuda_driver().ends & ((1u << kernels) - 1));
	victim.check();
	urgent.check();
	CHECK_EQ(preemption_of(short_one).stops, 0u);
	stopped = preemption_of(long_one);
	return ends;
}

} // namespace

// The fake GPU has room for one kernel, so the urgent one has to wait until the other one leaves.
TEST(a_long_kernel_stops_for_an_urgent_one, .traps = trap::best, .devices = device::cuda)
{
	// The long one was saved, and went on in two kernels: blocks that had begun, and those that had not.
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_PREEMPT=auto", p), 0b1'0100u);
	CHECK_EQ(p.stops, 1u);
	CHECK(p.saved_blocks > 0 && p.saved_blocks + p.waiting_blocks <= 16);
	CHECK(p.saved_bytes >= p.saved_blocks * group && p.away_ns > 0);
	CHECK_EQ(p.rescues, 0u);
}

TEST(with_drain_blocks_that_have_begun_end_first, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_PREEMPT=drain", p), 0b1'010u);
	CHECK_EQ(p.stops, 1u);
	CHECK_EQ(p.saved_blocks, 0u);
	CHECK(p.waiting_blocks > 0 && p.waiting_blocks < 16);
}

namespace
{

// A long kernel is told in the middle that something urgent will come so much later, and again after some of its blocks
// have gone on. It comes, or not.
void announce_beside(const context &t, bool comes, uint64_t lead_ns, het_preemption &stopped)
{
	runtime_fixture fx(t);
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	queue_handle announcing;
	HET_OK(het_queue_create(nullptr, announcing.out()));
	HET_OK(het_queue_set_priority(announcing, 7));
	const int before = fake_cuda_driver().kernels_begun;
	turns_arrays victim(16 * group), urgent(group);
	event_handle long_one, short_one;
	{
		held_in_the_middle held(500);
		victim.launch(fx.queue, kernel, 100, -3, long_one.out());
		held.wait();
		HET_OK(het_queue_announce(announcing, lead_ns));
		held.go_on_until(2500);
		HET_OK(het_queue_announce(announcing, lead_ns));
		held.go_on_until(3000);
		if (comes) {
			urgent.launch(announcing, kernel, 5, 0, short_one.out());
			wait_until_it_waits(short_one, before + 2);
		}
	}
	if (comes)
		wait_for(short_one);
	wait_for(long_one);
	victim.check();
	urgent.check();
	stopped = preemption_of(long_one);
}

} // namespace

// Blocks that run when it is announced save a base, and then the registers alone that have changed.
TEST(a_stop_that_was_announced_saves_what_has_changed, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	announce_beside(t, true, 1000, p);
	CHECK_EQ(p.stops, 1u);
	CHECK(p.saved_blocks > 0 && p.base_blocks >= p.saved_blocks);
	CHECK_EQ(p.delta_blocks, p.saved_blocks);
	CHECK_EQ(p.delta_bytes, p.saved_bytes);
	CHECK(p.delta_bytes > 0 && 2 * p.delta_bytes * p.base_blocks < p.base_bytes * p.delta_blocks);
}

TEST(a_false_alarm_costs_a_base, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	announce_beside(t, false, 1000, p);
	CHECK_EQ(p.stops, 0u);
	CHECK(p.base_blocks > 0 && p.base_blocks <= 4);
	CHECK_EQ(p.saved_blocks + p.saved_bytes + p.delta_blocks + p.delta_bytes, 0u);
}

// A launch has shown how long its blocks take, and the next one's would have ended by then.
TEST(what_ends_before_it_comes_saves_no_base, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	queue_handle announcing;
	HET_OK(het_queue_create(nullptr, announcing.out()));
	HET_OK(het_queue_set_priority(announcing, 7));
	turns_arrays victim(16 * group);
	event_handle first, second;
	victim.launch(fx.queue, kernel, 1, -3, first.out());
	wait_for(first);
	{
		held_in_the_middle held(500);
		victim.launch(fx.queue, kernel, 100, -3, second.out());
		held.wait();
		// The fake GPU's clock counts steps, far fewer than this has nanoseconds.
		HET_OK(het_queue_announce(announcing, UINT64_MAX / 2));
		held.go_on_until(3000);
	}
	wait_for(second);
	victim.check();
	CHECK_EQ(preemption_of(second).base_blocks, 0u);
}

// It is no more urgent by itself, but has little time.
TEST(a_long_kernel_stops_for_one_with_a_deadline, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_URGENCY=deadline", p, true, {-3, 1'000'000}), 0b1'0100u);
	CHECK_EQ(p.stops, 1u);
}

TEST(deadlines_stop_nothing_where_priorities_count, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_URGENCY=priority", p, false, {-3, 1'000'000}), 0b1'00u);
	CHECK_EQ(p.stops, 0u);
}

// It waits for room on the device when its time comes.
TEST(a_long_kernel_stops_when_a_deadline_comes_near, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	turns_arrays victim(16 * group), timed(group);
	timed.deadline_ns = 300'000'000; // is far for another 44 ms
	event_handle long_one, short_one;
	{
		held_in_the_middle held(500);
		victim.launch(fx.queue, kernel, 50, 0, long_one.out());
		held.wait();
		const int before = fake_cuda_driver().kernels_begun;
		timed.launch(fx.queue, kernel, 5, -8, short_one.out());
		wait_until_it_waits(short_one, before + 1);
		const int told = fake_cuda_driver().writes;
		while (fake_cuda_driver().writes == told)
			std::this_thread::yield();
	}
	wait_for(short_one);
	wait_for(long_one);
	victim.check();
	timed.check();
	CHECK_EQ(preemption_of(long_one).stops, 1u);
	CHECK_EQ(preemption_of(short_one).stops, 0u);
}

TEST(without_preemption_kernels_run_as_they_come, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_PREEMPT=off", p, false), 0b1'00u);
	CHECK_EQ(p.stops, 0u);
	CHECK_EQ(p.away_ns, 0u);
}

// Urgent launches come all the time, two of them under way.
TEST(what_has_waited_for_long_goes_on_beside_others, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, "HET_PREEMPT_PATIENCE=1");
	fake_cuda_driver().copies_between = 37;
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	turns_arrays victim(64 * group), urgent[] = {turns_arrays(group), turns_arrays(group)};
	event_handle long_one, short_ones[2];
	victim.launch(fx.queue, kernel, 200, -3, long_one.out());
	unsigned n = 0;
	for (; status_of(long_one) > HET_COMPLETE; n++) {
		if (short_ones[n % 2])
			wait_for(short_ones[n % 2]);
		urgent[n % 2].launch(fx.queue, kernel, 50, 7, short_ones[n % 2].out());
	}
	HET_OK(het_finish(fx.queue));
	victim.check();
	for (auto &u : urgent)
		u.check();
}

// Launches of all levels, some after others by events or by what they write, touches and frees between them. Copies get
// on in the middle of kernels, so flags are seen anywhere.
TEST(random_launches_of_all_levels_leave_what_they_must, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	fake_cuda_driver().copies_between = 37;
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	const int before = fake_cuda_driver().kernels_begun;
	std::mt19937_64 random(7);
	const unsigned launches = getenv("HET_TEST_FULL") ? 5000 : 150;
	std::vector<std::unique_ptr<turns_arrays>> arrays(6);
	std::vector<event_handle> events(8);
	queue_handle announcing;
	HET_OK(het_queue_create(nullptr, announcing.out()));
	HET_OK(het_queue_set_priority(announcing, 7));
	for (unsigned n = 0; n < launches; n++) {
		if (random() % 4 == 0)
			HET_OK(het_queue_announce(announcing, random() % 100'000));
		auto &a = arrays[random() % arrays.size()];
		if (!a)
			a = std::make_unique<turns_arrays>(group * (1 + random() % 12));
		a->device = random() % 2 ? first_device() : nullptr;
		event_handle &e = events[random() % events.size()];
		std::vector<het_event *> waits;
		if (het_event *other = events[random() % events.size()]; other && random() % 3 == 0)
			waits.push_back(other);
		event_handle made;
		a->launch(fx.queue, kernel, 1 + uint32_t(random() % 40), int(random() % 16) - 8, made.out(), waits);
		HET_OK(het_event_retain(made));
		*e.out() = made;
		if (random() % 10 == 0)
			HET_OK(het_finish(fx.queue));
		if (random() % 10)
			continue;
		HET_OK(het_finish(fx.queue));
		a->check();
		a.reset(); // the next ones are elsewhere
	}
	HET_OK(het_finish(fx.queue));
	for (auto &a : arrays)
		if (a)
			a->check();
	fake_cuda_driver().copies_between = 0;
	// Some of them were stopped.
	CHECK(fake_cuda_driver().kernels_begun - before > int(launches));
}

// --- what touches and frees wait for -------------------------------------------

namespace
{

// A kernel of level -3 is held in the middle, and is to stop for one of level 1. Then something waits for the first,
// so the other one is told to stop.
template <class F> void wait_for_the_less_urgent(const context &t, F wait)
{
	runtime_fixture fx(t, 0, "HET_PREEMPT_PATIENCE=100000");
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	auto low = std::make_unique<turns_arrays>(16 * group);
	turns_arrays high(16 * group);
	event_handle low_one, high_one;
	fake_cuda_state &driver = fake_cuda_driver();
	driver.copies_between = 37;
	const int before = driver.kernels_begun;
	std::thread waiting;
	{
		held_in_the_middle held(500);
		low->launch(fx.queue, kernel, 50, -3, low_one.out());
		held.wait();
		high.launch(fx.queue, kernel, 50, 1, high_one.out());
		wait_until_it_waits(high_one, before + 2);
		const int told = driver.writes;
		waiting = std::thread([&] { wait(low); });
		while (driver.writes == told)
			std::this_thread::yield();
	}
	waiting.join();
	wait_for(high_one);
	CHECK_EQ(driver.ends & 1, 1u); // the last kernel was the other one's
	high.check();
}

} // namespace

TEST(what_a_touch_waits_for_becomes_urgent, .traps = trap::best | trap::sigsegv, .devices = device::cuda)
{
	wait_for_the_less_urgent(t, [](std::unique_ptr<turns_arrays> &low) { low->check(); });
}

TEST(what_a_free_waits_for_becomes_urgent, .traps = trap::best, .devices = device::cuda)
{
	wait_for_the_less_urgent(t, [](std::unique_ptr<turns_arrays> &low) { low.reset(); });
}

// --- calls that fail -----------------------------------------------------------

namespace
{

// The kernel that copies them tells.
bool is_lost(const turns_arrays &a)
{
	int pipes[2];
	CHECK_SYS(pipe(pipes));
	bool lost = write(pipes[1], &a.counts[0], 4) != 4 || write(pipes[1], &a.sums[0], 4) != 4;
	close(pipes[0]);
	close(pipes[1]);
	return lost;
}

// One call of the driver's fails while launches stop for others: they fail, or leave what they must, and all end.
void run_with_failure(const context &t, const char *symbol)
{
	runtime_fixture fx(t);
	fake_cuda_driver().copies_between = 37;
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	const int before = fake_cuda_driver().kernels_begun;
	turns_arrays victim(16 * group), urgent(group);
	het_event *events[2];
	{
		held_in_the_middle held(500);
		victim.launch(fx.queue, kernel, 50, -3, &events[0]);
		held.wait();
		fail_cuda_call(symbol, cuda_launch_failed);
		urgent.launch(fx.queue, kernel, 5, 7, &events[1]);
		wait_until_it_waits(events[1], before + 2);
	}
	(void)het_event_wait(2, events);
	const turns_arrays *const arrays[] = {&victim, &urgent};
	for (unsigned i = 0; i < 2; i++) {
		// Bytes that a device had alone are lost with it.
		if (status_of(events[i]) == HET_COMPLETE && !is_lost(*arrays[i]))
			arrays[i]->check();
		het_event_release(events[i]);
	}
	CHECK(!fake_cuda_driver().fail_symbol.load());
}

} // namespace

#define FAILURE_OF(NAME, SYMBOL)                                                     \
	TEST(a_call_that_fails_##NAME, .traps = trap::best, .devices = device::cuda) \
	{                                                                            \
		run_with_failure(t, SYMBOL);                                         \
	}
FAILURE_OF(launch, "cuLaunchKernel")
FAILURE_OF(work_of_launch, "work of cuLaunchKernel")
FAILURE_OF(flag, "cuMemcpyHtoDAsync_v2")
FAILURE_OF(counts, "cuMemcpyDtoHAsync_v2")
FAILURE_OF(work_of_counts, "work of cuMemcpyDtoHAsync_v2")
FAILURE_OF(heads, "cuMemcpy2DAsync_v2")
FAILURE_OF(record, "cuEventRecord")
FAILURE_OF(event_query, "cuEventQuery")
FAILURE_OF(stream_query, "cuStreamQuery")
