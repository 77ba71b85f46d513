// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests gpuvm_kernel_end_event(): the call returns before the kernel has finished, and touches and later begins wait
// for it.
#include "harness/clock.h"
#include "harness/fixture.h"

#include <atomic>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::map | kind::library | kind::memalign_page;

// Begins, starts a kernel that takes long, and ends with its event, which it returns.
void *launch(fixture &fx, array &a, unsigned dev, uint8_t value)
{
	kernel k{kernel::slow_add, 0, a.size(), value};
	CHECK_OK(gpuvm_kernel_begin(a.data(), dev, GPUVM_READ_WRITE));
	void *event = fx.dev().start(dev, a.buffer(dev), k);
	CHECK_OK(gpuvm_kernel_end_event(a.data(), dev, event));
	apply(k, a.model());
	return event;
}
} // namespace

TEST(touch_waits_for_the_event, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	for (int round = 0; round < 3; round++) {
		void *event = launch(fx, a, 0, 1 + round);
		a.check("touched right after the end");
		fx.dev().finish(0, event);
		a.check("after the kernel");
	}
}

TEST(call_returns_at_once, .traps = trap::all, .devices = device::host, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page), b(fx, t.v.kind, 20 * page);
	a.link();
	b.link();
	int finished = 0;
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, &finished)); // would hang here if it waited
	std::atomic<bool> touched{false};
	std::vector<uint8_t> seen(a.size());
	std::thread toucher([&] {
		memcpy(seen.data(), a.data(), a.size());
		touched = true;
	});
	// Others are not held up.
	for (int round = 0; round < 5; round++) {
		b.add_everywhere(0, 1);
		b.check();
	}
	sleep_ms(50);
	CHECK(!touched);
	a.run(0, {kernel::add, 0, a.size(), 9});
	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	toucher.join();
	CHECK_BYTES(seen.data(), a.model(), a.size(), "touched before the kernel had finished");
	a.check();
}

TEST(begin_waits_for_the_event, .traps = trap::all, .devices = device::single | device::several, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link_everywhere();
	for (unsigned next = 0; next < fx.devices(); next++) {
		void *event = launch(fx, a, 0, 3);
		a.add_everywhere(next, 1); // the next kernel runs there, or on another device
		fx.dev().finish(0, event);
		a.check();
	}
}

TEST(one_after_the_other, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page), b(fx, t.v.kind, 30 * page);
	a.link();
	b.link();
	void *first = launch(fx, a, 0, 1), *second = launch(fx, b, 0, 2);
	b.check();
	a.check();
	fx.dev().finish(0, first);
	fx.dev().finish(0, second);
}

TEST(unlink_waits_for_the_event, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	void *event = launch(fx, a, 0, 1);
	CHECK_OK(gpuvm_unlink(a.data(), 0));
	a.check("after unlink");
	fx.dev().finish(0, event);
}

TEST(finished_event, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	for (int round = 0; round < 10; round++) {
		kernel k{kernel::add, 0, a.size(), 1};
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		void *event = fx.dev().start(0, a.buffer(0), k);
		if (t.v.device & (device::opencl | device::cuda)) {
			CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, event));
			fx.dev().finish(0, event); // releases the program's reference: the library has its own
		} else {
			fx.dev().finish(0, event);
			CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, event));
		}
		apply(k, a.model());
		a.check();
	}
}

TEST(reader_event, .traps = trap::all, .devices = device::host, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	int finished = 0;
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, &finished));
	a.check("host read while a read-only kernel runs");
	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	a.add_everywhere(0, 1);
	a.check();
}

namespace
{
// Another thread calls gpuvm_kernel_end_event().
class end_on_thread
{
      public:
	end_on_thread(array &a, int &event)
	    : event_(event), thread_([this, &a] {
		      CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, &event_));
		      returned_ = true;
	      })
	{
	}
	~end_on_thread() { thread_.join(); }

	bool returned() const { return returned_; }
	void finish() { __atomic_store_n(&event_, 1, __ATOMIC_RELEASE); }

      private:
	int &event_;
	std::atomic<bool> returned_{false};
	std::thread thread_;
};

} // namespace

// The ends wait for a fetch that is under way, and go on together. A touch waits for each end whose call has returned.
TEST(two_ends_at_once, .traps = trap::all, .devices = device::hostcb, .kinds = kinds, .seconds = 10)
{
	skip_under_tsan("kernels and fetches are ordered by touches");
	fixture fx(t);
	array a(fx, t.v.kind, 4 * page);
	a.link();
	int events[6][2] = {};
	for (int round = 0; round < 6; round++) {
		a.add_everywhere(0, 1);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		fx.dev().faults()->block_reads = true;
		// The thread may find the array gone again when its fetch has come, and waits like the other then.
		std::thread fetching([&] { (void)*static_cast<volatile uint8_t *>(a.data()); });
		sleep_ms(20);
		end_on_thread one(a, events[round][0]);
		sleep_ms(20);
		end_on_thread other(a, events[round][1]);
		sleep_ms(20);
		fx.dev().faults()->block_reads = false;
		a.run(0, {kernel::add, 0, a.size(), 1});
		sleep_ms(20);
		// An end may wait for the other's kernel.
		wait_until([&] { return one.returned() || other.returned(); });
		const bool one_first = other.returned() ? one.returned() && round % 2 : true;
		end_on_thread &first = one_first ? one : other, &last = one_first ? other : one;
		first.finish();
		wait_until([&] { return last.returned(); });
		std::atomic<bool> touched{false};
		std::thread toucher([&] {
			a.check("touched after both ends");
			touched = true;
		});
		sleep_ms(20);
		CHECK(!touched);
		last.finish();
		toucher.join();
		fetching.join();
	}
}

// The kernel has not ended then, and whatever watches its event has looked.
TEST(touched_some_time_after_the_end, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	for (int round = 0; round < 4; round++) {
		void *event = launch(fx, a, 0, 1 + round);
		sleep_ms(5);
		a.check("touched a while after the end");
		fx.dev().finish(0, event);
		a.check("after the kernel");
	}
}

// The host comes some time after each kernel, and takes no fault.
TEST(foreseen_behind_the_event, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	restart_with(t, {"GPUVM_FORESIGHT=always"});
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	a.add_everywhere(0, 1);
	a.check();
	for (int round = 0; round < 5; round++) {
		unsigned long long foreseen = count_of(GPUVM_STAT_FORESEEN);
		void *event = launch(fx, a, 0, 1);
		fx.dev().finish(0, event);
		wait_until([&] { return count_of(GPUVM_STAT_FORESEEN) >= foreseen + a.size(); });
		unsigned long long touches = count_of(GPUVM_STAT_TOUCHES);
		// The last pages may still be on their way to be shown.
		a.check("foreseen behind an event");
		CHECK_LE(count_of(GPUVM_STAT_TOUCHES), touches + 1);
	}
}

TEST(an_event_that_never_comes, .traps = trap::all, .devices = device::host | device::hostcb, .kinds = kinds)
{
	restart_with(t, {"GPUVM_FORESIGHT=always"});
	fixture fx(t);
	array late(fx, t.v.kind, 20 * page), a(fx, t.v.kind, 40 * page);
	for (array *one : {&late, &a}) {
		one->link();
		one->add_everywhere(0, 1);
		one->check();
	}
	int finished = 0;
	CHECK_OK(gpuvm_kernel_begin(late.data(), 0, GPUVM_READ_WRITE));
	late.run(0, {kernel::add, 0, late.size(), 1});
	CHECK_OK(gpuvm_kernel_end_event(late.data(), 0, &finished));
	for (int round = 0; round < 3; round++) {
		unsigned long long foreseen = count_of(GPUVM_STAT_FORESEEN);
		void *event = launch(fx, a, 0, 1);
		fx.dev().finish(0, event);
		wait_until([&] { return count_of(GPUVM_STAT_FORESEEN) >= foreseen + a.size(); });
		a.check("behind an event that came, beside one that did not");
	}
	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	late.check("the event came at last");
}

TEST(many_threads_wait, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 64 * page);
	a.link();
	void *event = launch(fx, a, 0, 1);
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 16; i++)
		threads.emplace_back([&, i] { a.check(i * 4 * page, 4 * page, "part of one thread"); });
	for (auto &th : threads)
		th.join();
	fx.dev().finish(0, event);
}
