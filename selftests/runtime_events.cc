// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests events and queues: order, failures, callbacks, times, threads, exit and fork.
#include "harness/block.h"
#include "harness/clock.h"
#include "harness/process.h"
#include "harness/runtime.h"

#include <atomic>
#include <csignal>
#include <memory>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{

const uint8_t one = 1;

// What the program's code found on the runtime's thread: bit 0 says that SIGUSR1 was blocked when the kernel came, bit
// 1 when the callback did.
std::atomic<unsigned> found_blocked{0};
std::atomic<pid_t> ran_on{0}, called_on{0};

void note_and_unblock(unsigned bit, std::atomic<pid_t> &thread)
{
	sigset_t user, before;
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &user, &before);
	found_blocked.fetch_or(sigismember(&before, SIGUSR1) ? bit : 0);
	thread.store(gettid());
}

void unblock_in_kernel(const het_group *, void *const *)
{
	note_and_unblock(1, ran_on);
}

} // namespace

TEST(user_events_hold_commands_up, .devices = device::runtime)
{
	runtime_fixture fx(t);
	block b(kind::mmapped, 200000);
	memset(b.data(), 0, b.size());
	event_handle gate, e;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
			 {.waits = waits}));
	sleep_ms(20);
	CHECK_EQ(status_of(e), HET_QUEUED);
	CHECK_EQ(b.data()[0], 0);
	HET_ERR(het_user_event_set(e, HET_COMPLETE), HET_EARG);
	HET_ERR(het_user_event_set(gate, 1), HET_EARG);
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	HET_ERR(het_user_event_set(gate, HET_COMPLETE), HET_ESTATE);
	wait_for(e);
	CHECK_EQ(b.data()[0], 1);
}

TEST(in_order_queues_keep_the_order, .devices = device::runtime)
{
	runtime_fixture fx(t, HET_QUEUE_IN_ORDER);
	uint8_t bytes[2][100] = {};
	event_handle gate, first, second;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, 100, {range_arg(bytes[0], 100, HET_READ_WRITE), value_arg(one)}, first.out(),
			 {.waits = waits}));
	HET_OK(fx.launch(fx.add, 100, {range_arg(bytes[1], 100, HET_READ_WRITE), value_arg(one)}, second.out()));
	sleep_ms(20);
	CHECK_EQ(status_of(second), HET_QUEUED);
	HET_OK(het_user_event_set(gate, -7));
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(status_of(first), HET_EWAIT);
	CHECK_EQ(status_of(second), HET_COMPLETE);
	CHECK_EQ(bytes[0][0], 0);
	CHECK_EQ(bytes[1][0], 1);
}

TEST(markers_and_barriers, .devices = device::runtime)
{
	runtime_fixture fx(t);
	uint8_t bytes[2][100] = {};
	event_handle gate, marker, barrier, after;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, 100, {range_arg(bytes[0], 100, HET_READ_WRITE), value_arg(one)}, nullptr,
			 {.waits = waits}));
	HET_OK(het_marker(fx.queue, 0, nullptr, marker.out()));
	fx.run_add(bytes[1], 100, 1); // must not wait for a marker
	HET_OK(het_barrier(fx.queue, 0, nullptr, barrier.out()));
	HET_OK(fx.launch(fx.add, 100, {range_arg(bytes[1], 100, HET_READ_WRITE), value_arg(one)}, after.out()));
	sleep_ms(20);
	for (het_event *e : {marker.get(), barrier.get(), after.get()})
		CHECK_EQ(status_of(e), HET_QUEUED);
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	HET_OK(het_finish(fx.queue));
	for (het_event *e : {marker.get(), barrier.get(), after.get()})
		CHECK_EQ(status_of(e), HET_COMPLETE);
	CHECK_EQ(bytes[1][0], 2);
}

TEST(failures_are_inherited_and_told, .devices = device::runtime)
{
	runtime_fixture fx(t);
	std::atomic<int> told{0};
	auto on_error = [](int code, het_event *e, const char *message, void *arg) {
		if (code == HET_EWAIT && e && *message)
			++*static_cast<std::atomic<int> *>(arg);
	};
	het_queue_args a = {};
	a.size = sizeof a;
	a.on_error = on_error;
	a.on_error_arg = &told;
	queue_handle queue;
	HET_OK(het_queue_create(&a, queue.out()));
	uint8_t bytes[100] = {}, others[100] = {};
	event_handle gate, writer, reader, bystander;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, 100, {range_arg(bytes, 100, HET_READ_WRITE), value_arg(one)}, writer.out(),
			 {.queue = queue, .waits = waits}));
	HET_OK(fx.launch(fx.combine, 100,
			 {range_arg(bytes, 100, HET_READ_ONLY), range_arg(others, 100, HET_READ_WRITE)}, reader.out(),
			 {.queue = queue}));
	HET_OK(het_user_event_set(gate, HET_ECANCELED));
	HET_OK(het_finish(queue));
	CHECK_EQ(status_of(writer), HET_EWAIT);
	CHECK_EQ(status_of(reader), HET_EWAIT);
	CHECK_EQ(told.load(), 2);
	// What is not concerned goes on.
	fx.run_add(bytes, 100, 1);
	CHECK_EQ(bytes[99], 1);
}

TEST(callbacks_come_once, .devices = device::runtime)
{
	runtime_fixture fx(t);
	std::atomic<int> calls{0};
	auto count = [](het_event *, int status, void *arg) {
		if (status == HET_COMPLETE)
			++*static_cast<std::atomic<int> *>(arg);
	};
	block b(kind::mmapped, 200000);
	event_handle gate, e;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
			 {.waits = waits}));
	for (int i = 0; i < 3; i++)
		HET_OK(het_event_callback(e, count, &calls));
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	// Nobody waits, but the callbacks must come all the same.
	wait_until([&] { return calls.load() >= 3; });
	CHECK_EQ(calls.load(), 3);
	wait_for(e);
	HET_OK(het_event_callback(e, count, &calls));
	CHECK_EQ(calls.load(), 4);
}

// Each launch is likely to end before the call that asks for the callback does.
TEST(callbacks_release_the_event, .devices = device::runtime)
{
	runtime_fixture fx(t);
	std::atomic<int> calls{0};
	block b(kind::mmapped, 1000);
	memset(b.data(), 0, b.size());
	const int rounds = 100;
	for (int i = 0; i < rounds; i++) {
		het_event *e = nullptr;
		HET_OK(fx.launch(fx.add, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE), value_arg(one)},
				 &e));
		HET_OK(het_event_callback(
			e,
			[](het_event *mine, int, void *arg) {
				het_event_release(mine);
				++*static_cast<std::atomic<int> *>(arg);
			},
			&calls));
	}
	wait_until([&] { return calls.load() == rounds; });
	CHECK_EQ(b.data()[999], rounds);
}

// Nobody waits for the launches, so that the worker runs kernel and callback. Each finds the mask as the worker has it,
// although the one before has changed it.
TEST(workers_keep_their_signal_mask, .devices = device::host)
{
	runtime_fixture fx(t);
	const het_function function = {"unblock", unblock_in_kernel, 1};
	het_program_args p = {};
	p.size = sizeof p;
	p.functions = &function;
	p.nfunctions = 1;
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&p, program.out()));
	HET_OK(het_kernel_create(program, "unblock", kernel.out()));
	for (int i = 0; i < 3; i++) {
		found_blocked = 0;
		ran_on = called_on = 0;
		event_handle gate, e;
		HET_OK(het_user_event_create(gate.out()));
		het_event *waits[] = {gate};
		HET_OK(fx.launch(kernel, 1, {}, e.out(), {.waits = waits}));
		HET_OK(het_event_callback(
			e, [](het_event *, int, void *) { note_and_unblock(2, called_on); }, nullptr));
		HET_OK(het_user_event_set(gate, HET_COMPLETE));
		while (!called_on)
			sched_yield();
		wait_for(e);
		CHECK(ran_on != gettid());
		CHECK_EQ(called_on.load(), ran_on.load());
		CHECK_EQ(found_blocked.load(), 3);
	}
}

// A kernel ends and its bytes come home though no thread ever asks.
TEST(commands_end_without_being_waited_for, .devices = device::runtime)
{
	runtime_fixture fx(t);
	block b(kind::mmapped, 200000);
	memset(b.data(), 0, b.size());
	event_handle e;
	HET_OK(fx.launch(fx.add, 1000, {range_arg(b.data(), 1000, HET_READ_WRITE), value_arg(one)}, e.out()));
	// This is not a byte of the kernel's, but perhaps one of its chunk's: the touch waits for the kernel's end
	// then.
	b.data()[5000] = 3;
	wait_until([&] { return status_of(e) == HET_COMPLETE; });
	CHECK_EQ(b.data()[999], 1);
	CHECK_EQ(b.data()[5000], 3);
}

TEST(times_rise, .devices = device::runtime)
{
	runtime_fixture fx(t);
	uint64_t before = now_ns();
	block b(kind::mmapped, 200000);
	event_handle gate, e;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.slow, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
			 {.waits = waits}));
	het_event_times times = {};
	times.size = sizeof times;
	HET_ERR(het_event_profile(e, &times), HET_ESTATE);
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	wait_for(e);
	HET_OK(het_event_profile(e, &times));
	CHECK(before <= times.queued && times.queued <= times.submitted);
	CHECK(times.submitted <= times.started && times.started <= times.ended);
	CHECK(times.ended <= now_ns());
	CHECK(times.ended - times.started > 100000);
}

// --- many ------------------------------------------------------------------------

// Threads launch, wait, wait on each other's events and leave. No command may be lost or run twice.
TEST(threads, .devices = device::runtime, .seconds = 60)
{
	runtime_fixture fx(t);
	constexpr unsigned nthreads = 4;
	const uint64_t rounds = t.rounds(150, 5000);
	block mine[nthreads], shared(kind::mmapped, 150000);
	for (block &b : mine)
		b = block(kind::mmapped, 150000);
	memset(shared.data(), 0, shared.size());
	std::atomic<unsigned> to_shared{0};
	auto work = [&](unsigned me) {
		random_source random(t.seed + me);
		uint8_t *p = mine[me].data();
		memset(p, 0, mine[me].size());
		unsigned count = 0;
		for (uint64_t i = 0; i < rounds; i++) {
			event_handle e;
			HET_OK(fx.launch(fx.add, 500, {range_arg(p, 500, HET_READ_WRITE), value_arg(one)}, e.out()));
			count++;
			if (random.one_in(3)) {
				het_event *waits[] = {e};
				HET_OK(fx.launch(fx.add, 700,
						 {range_arg(shared.data(), 700, HET_READ_WRITE), value_arg(one)},
						 nullptr, {.waits = waits}));
				to_shared++;
			}
			if (random.one_in(5))
				wait_for(e);
			if (random.one_in(40))
				HET_OK(het_finish(fx.queue));
			if (random.one_in(10)) {
				event_handle marker;
				HET_OK(het_marker(fx.queue, 0, nullptr, marker.out()));
				wait_for(marker);
				CHECK_EQ(p[0], uint8_t(count));
			}
		}
		HET_OK(het_finish(fx.queue));
		CHECK_EQ(p[499], uint8_t(count));
	};
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < nthreads; i++)
		threads.emplace_back(work, i);
	for (auto &thread : threads)
		thread.join();
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(shared.data()[699], uint8_t(to_shared.load()));
}

// A chain that is ended in one go must not need a stack as long.
TEST(long_chains, .devices = device::none)
{
	runtime_fixture fx(t);
	event_handle gate;
	HET_OK(het_user_event_create(gate.out()));
	std::vector<event_handle> chain(20000);
	het_event *last = gate;
	for (event_handle &e : chain) {
		HET_OK(het_marker(fx.queue, 1, &last, e.out()));
		last = e;
	}
	HET_OK(het_user_event_set(gate, -1));
	CHECK_EQ(status_of(last), HET_EWAIT);
}

// --- the end of the process --------------------------------------------------------

// Commands that hang on a user event do not keep the process; those that can finish are waited for.
TEST(exit_is_bounded, .devices = device::runtime)
{
	skip_under_tsan("it waits for threads at exit");
	static std::atomic<bool> finished, expected;
	// The handler is registered before the runtime's, so it comes after that.
	atexit([] {
		if (expected && !finished)
			_exit(9);
	});
	runtime_fixture fx(t);
	static uint8_t bytes[2][1000];
	event_handle gate, slow;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, 1000, {range_arg(bytes[0], 1000, HET_READ_WRITE), value_arg(one)}, nullptr,
			 {.waits = waits}));
	HET_OK(fx.launch(fx.slow, 1000, {range_arg(bytes[1], 1000, HET_READ_WRITE), value_arg(one)}, slow.out()));
	HET_OK(het_event_callback(
		slow, [](het_event *, int, void *) { finished = true; }, nullptr));
	expected = true;
	exit(0);
}

TEST(forked_children_are_told, .devices = device::none | device::host)
{
	runtime_fixture fx(t);
	fx.run_add(std::make_unique<uint8_t[]>(1000).get(), 1000, 1);
	ending e = run_process(10, [&] {
		uint32_t count;
		HET_ERR(het_devices(0, nullptr, &count), HET_ESTATE);
		HET_ERR(het_finish(fx.queue), HET_ESTATE);
		_exit(0);
	});
	expect_success(e, "child");
}
