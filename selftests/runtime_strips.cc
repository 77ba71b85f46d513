// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Where kernels can't be stopped, launches that others may come before run in parts.
#include "harness/clock.h"
#include "harness/runtime.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace selftest;

namespace
{

const char rows_source[] = R"(
kernel void turns(global uint *numbers, uint rounds)
{
	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
	uint x = numbers[i];
	for (uint n = 0; n < rounds; n++)
		x = x * 1664525 + 1013904223;
	numbers[i] = x + get_num_groups(1);
}
)";
constexpr uint32_t width = 32, height = 2000;

struct long_launch {
	explicit long_launch(runtime_fixture &fx) : queue(fx.queue), numbers(width * height)
	{
		make_program(program, rows_source, {});
		HET_OK(het_kernel_create(program, "turns", kernel.out()));
	}
	void launch(int priority, event_handle &e)
	{
		const het_arg args[] = {range_arg(numbers.data(), 4 * numbers.size(), HET_READ_WRITE),
					value_arg(rounds)};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel;
		l.dimensions = 2;
		l.global[0] = l.local[0] = width;
		l.global[1] = height;
		l.local[1] = 1;
		l.arg_size = sizeof(het_arg);
		l.nargs = std::size(args);
		l.args = args;
		l.priority = priority;
		HET_OK(het_launch(queue, &l, e.out()));
	}
	// Each row, and each round of it, was done once.
	void check()
	{
		for (uint32_t i = 0; i < rounds; i++)
			expected = expected * 1664525 + 1013904223;
		expected += height;
		for (uint32_t number : numbers)
			CHECK_EQ(number, expected);
	}

	uint32_t rounds = 2000, expected = 0;
	het_queue *queue;
	program_handle program;
	kernel_handle kernel;
	std::vector<uint32_t> numbers;
};

// Returns whether the urgent launch was over before the long one in some of a few tries.
bool comes_between(const context &t, const char *setting, uint32_t tries, het_preemption &stopped)
{
	runtime_fixture fx(t, 0, setting);
	long_launch victim(fx);
	uint8_t bytes[64] = {};
	const uint8_t value = 1;
	event_handle first;
	HET_OK(fx.launch(fx.add, sizeof bytes, {range_arg(bytes, sizeof bytes, HET_READ_WRITE), value_arg(value)},
			 first.out(), {.priority = 7}));
	wait_for(first);
	bool any = false;
	for (uint32_t n = 1; n <= tries && !any; n++) {
		event_handle long_one, urgent;
		victim.launch(-3, long_one);
		while (status_of(long_one) == HET_QUEUED)
			std::this_thread::yield();
		std::this_thread::sleep_for(std::chrono::milliseconds(5 * n)); // some of it has begun by then
		HET_OK(fx.launch(fx.add, sizeof bytes,
				 {range_arg(bytes, sizeof bytes, HET_READ_WRITE), value_arg(value)}, urgent.out(),
				 {.priority = 7}));
		wait_for(urgent);
		any = status_of(long_one) > HET_COMPLETE;
		wait_for(long_one);
		CHECK_EQ(bytes[0], n + 1);
		victim.check();
		victim.rounds += 2000; // where others had the machine
		stopped = preemption_of(long_one);
		any = any && stopped.stops;
	}
	return any;
}

} // namespace

TEST(something_urgent_comes_between_parts_of_a_kernel, .traps = trap::best, .devices = device::opencl)
{
	het_preemption p;
	CHECK(comes_between(t, "HET_PREEMPT=auto", 8, p));
	CHECK(p.stops > 0 && !p.saved_blocks);
}

// Another launch, of a level between, has its parts in the same queue.
TEST(what_is_in_parts_becomes_urgent, .traps = trap::best, .devices = device::opencl)
{
	runtime_fixture fx(t);
	long_launch low(fx), between(fx);
	uint8_t bytes[64] = {};
	const uint8_t value = 1;
	auto add = [&](std::span<het_event *const> waits, event_handle &e) {
		HET_OK(fx.launch(fx.add, sizeof bytes,
				 {range_arg(bytes, sizeof bytes, HET_READ_WRITE), value_arg(value)}, e.out(),
				 {.waits = waits, .priority = 7}));
	};
	event_handle first, low_one, between_one, urgent;
	add({}, first);
	wait_for(first);
	low.launch(-8, low_one);
	while (status_of(low_one) == HET_QUEUED)
		std::this_thread::yield();
	between.launch(0, between_one);
	het_event *const waits[] = {low_one};
	add(waits, urgent);
	wait_for(urgent);
	const bool is_first = status_of(between_one) > HET_COMPLETE;
	wait_for(between_one);
	CHECK(is_first);
	low.check();
	between.check();
	CHECK_EQ(bytes[0], 2);
}

TEST(nothing_comes_between_where_that_is_not_wanted, .traps = trap::best, .devices = device::opencl)
{
	het_preemption p;
	CHECK(!comes_between(t, "HET_PREEMPT=off", 2, p));
	CHECK_EQ(p.stops, 0u);
}

namespace
{

// The host and a kernel of PoCL's see these numbers side by side.
struct gates {
	static constexpr unsigned launches = 2, height = 512; // has many parts, as so few are with the device at a time
	std::atomic<uint32_t> open[launches] = {};            // rows below this may end
	std::atomic<uint32_t> count{0}, has_begun{0};
	uint32_t order[launches * height] = {}; // has launch * height + row as they have ended
};

const char gated_source[] = R"(
kernel void gated(global uint *ends, ulong address, uint launch)
{
	volatile global uint *gates = (volatile global uint *)address;
	uint row = get_global_id(0);
	gates[3] = 1;
	while (gates[launch] <= row)
		;
	uint n = atomic_inc(gates + 2);
	gates[4 + n] = launch * 512 + row;
	ends[row] = n;
}
)";

// Launches of the gated kernel, which are in parts, have numbers. All is on the device before: while the gates hold it
// nothing could come there.
struct gated_launches {
	explicit gated_launches(runtime_fixture &fx) : queue(fx.queue)
	{
		make_program(program, gated_source, {});
		HET_OK(het_kernel_create(program, "gated", kernel.out()));
		const uint8_t one = 1;
		for (auto &e : ends) {
			e.resize(1 << 16); // has pages of its own, so that nothing else waits for them
			event_handle first;
			HET_OK(fx.launch(fx.add, 4 * e.size(),
					 {range_arg(e.data(), 4 * e.size(), HET_READ_WRITE), value_arg(one)},
					 first.out(), {.priority = 7}));
			wait_for(first);
		}
	}
	void launch(gates &g, uint32_t number, int priority, event_handle &event)
	{
		const auto address = uint64_t(&g);
		const het_arg args[] = {range_arg(ends[number].data(), 4 * ends[number].size(), HET_READ_WRITE),
					value_arg(address), value_arg(number)};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel;
		l.dimensions = 1;
		l.global[0] = gates::height;
		l.local[0] = 1;
		l.arg_size = sizeof(het_arg);
		l.nargs = std::size(args);
		l.args = args;
		l.priority = priority;
		HET_OK(het_launch(queue, &l, event.out()));
	}

	het_queue *queue;
	program_handle program;
	kernel_handle kernel;
	std::vector<uint32_t> ends[gates::launches];
};

// A part of the less urgent launch waits in the queue behind parts of the other one when something urgent comes to wait
// for it. Returns whether all of it came before the other's last part.
bool rises_in_the_queue(runtime_fixture &fx, gated_launches &all)
{
	gates g;
	uint8_t bytes[64] = {};
	const uint8_t value = 1;
	event_handle low, between;
	all.launch(g, 0, -8, low);
	wait_until([&] { return g.has_begun != 0; });
	all.launch(g, 1, 0, between);
	// It begins as soon as a part of the first has ended.
	auto waits_still = [&] { return status_of(between) == HET_QUEUED; };
	while (waits_still() && g.open[0] < gates::height)
		for (const uint32_t i = g.open[0]++; g.count <= i && waits_still();)
			std::this_thread::yield();
	event_handle urgent;
	het_event *const waits[] = {low};
	HET_OK(fx.launch(fx.add, sizeof bytes, {range_arg(bytes, sizeof bytes, HET_READ_WRITE), value_arg(value)},
			 urgent.out(), {.waits = waits, .priority = 7}));
	for (std::atomic<uint32_t> &open : g.open)
		open = gates::height;
	wait_for(urgent);
	wait_for(between);
	CHECK_EQ(g.count.load(), 2 * gates::height);
	uint32_t last[gates::launches] = {};
	std::vector<bool> done(2 * gates::height);
	for (uint32_t i = 0; i < g.count; i++) {
		CHECK(!done.at(g.order[i]));
		done[g.order[i]] = true;
		last[g.order[i] / gates::height] = i;
	}
	return last[0] < last[1];
}

} // namespace

// Where the machine stands still for a tenth of a second what is less urgent has waited so long that it comes first.
TEST(a_part_that_waits_becomes_urgent, .traps = trap::best, .devices = device::opencl)
{
	runtime_fixture fx(t);
	gated_launches all(fx);
	bool rises = false;
	for (unsigned tries = 0; tries < 10 && !rises; tries++)
		rises = rises_in_the_queue(fx, all);
	CHECK(rises);
}
