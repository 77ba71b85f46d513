// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// With GPUVM_STRICT the host loses the array at the begin of a writing kernel, and touches wait for its end.
#include "harness/clock.h"
#include "harness/fixture.h"

#include <atomic>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr int flags = GPUVM_STAT | GPUVM_STRICT;

// This thread touches once.
class toucher
{
      public:
	toucher(array &a, size_t at, bool write)
	    : thread_([&a, at, write, this] {
		      volatile uint8_t *p = a.data() + at;
		      if (write)
			      *p = 0x99;
		      value_ = *p;
		      done_ = true;
	      })
	{
	}
	~toucher() { thread_.join(); }

	bool done() const { return done_; }
	uint8_t value()
	{
		while (!done_)
			sleep_ms(1);
		return value_;
	}

      private:
	std::atomic<bool> done_{false};
	std::atomic<uint8_t> value_{0};
	std::thread thread_;
};
} // namespace

TEST(touch_waits_for_the_end, .traps = trap::all, .devices = device::single | device::host2,
     .kinds = kind::map | kind::library)
{
	fixture fx(t, flags);
	unsigned dev = fx.devices() - 1;
	array a(fx, t.v.kind, 100 * page);
	a.link_everywhere();
	for (int access : {GPUVM_READ_WRITE, GPUVM_WRITE_ONLY}) {
		a.check();
		CHECK_OK(gpuvm_kernel_begin(a.data(), dev, access));
		toucher reader(a, 50 * page + 1, false), writer(a, 10 * page, true), far(a, 99 * page, false);
		sleep_ms(60);
		CHECK(!reader.done() && !writer.done() && !far.done());
		a.run(dev, {kernel::fill, 0, a.size(), uint64_t(access)});
		sleep_ms(20);
		CHECK(!reader.done() && !writer.done() && !far.done());
		CHECK_OK(gpuvm_kernel_end(a.data(), dev));
		CHECK_EQ(reader.value(), a.model()[50 * page + 1]);
		CHECK_EQ(far.value(), a.model()[99 * page]);
		CHECK_EQ(writer.value(), 0x99);
		a.model()[10 * page] = 0x99;
		a.check();
	}
}

TEST(host_begin_waits_for_the_end, .traps = trap::all, .devices = device::single, .kinds = kind::map | kind::library)
{
	fixture fx(t, flags);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	for (int access : {GPUVM_READ_ONLY, GPUVM_READ_WRITE}) {
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		std::atomic<bool> returned{false};
		std::thread caller([&] {
			CHECK_OK(gpuvm_host_begin(a.data() + 30 * page, 40 * page, access));
			returned = true;
		});
		sleep_ms(60);
		CHECK(!returned);
		a.run(0, {kernel::fill, 0, a.size(), uint64_t(access)});
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		caller.join();
		a.check();
	}
	// A kernel that only reads keeps nobody waiting.
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	CHECK_OK(gpuvm_host_begin(a.data(), a.size(), GPUVM_READ_ONLY));
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
}

TEST(readers_go_on, .traps = trap::all, .devices = device::single, .kinds = kind::map | kind::library)
{
	fixture fx(t, flags);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	a.check("during a read-only kernel"); // touches on this very thread, so it must not wait
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.add_everywhere(0, 1);
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	a.check("during a read-only kernel, from the device");
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
}

TEST(other_arrays_go_on, .traps = trap::all, .devices = device::single, .kinds = kind::map)
{
	fixture fx(t, flags);
	array a(fx, t.v.kind, 40 * page), b(fx, t.v.kind, 40 * page);
	a.link();
	b.link();
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	toucher waiting(a, 0, false);
	for (int round = 0; round < 10; round++) {
		b.add_everywhere(0, 1);
		b.check();
	}
	CHECK(!waiting.done());
	a.run(0, {kernel::add, 0, a.size(), 1});
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	CHECK_EQ(waiting.value(), a.model()[0]);
}

TEST(ranges, .traps = trap::all, .devices = device::host, .kinds = kind::map | kind::library)
{
	fixture fx(t, flags);
	const size_t far = 8 << 20;
	array a(fx, t.v.kind, 2 * far);
	a.link();
	CHECK_OK(gpuvm_kernel_begin_range(a.data(), far / 2, 0, GPUVM_READ_WRITE));
	a.check(far, far, "chunks that no kernel uses");
	toucher waiting(a, 100, false);
	sleep_ms(30);
	CHECK(!waiting.done());
	a.run(0, {kernel::add, 0, far / 2, 1});
	CHECK_OK(gpuvm_kernel_end_range(a.data(), far / 2, 0));
	CHECK_EQ(waiting.value(), a.model()[100]);
	a.check();
}

TEST(edges_are_refused, .traps = trap::all, .devices = device::single)
{
	fixture fx(t, flags);
	array a(fx, kind::slice, 40 * page);
	a.link();
	CHECK_ERR(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_kernel_begin(a.data(), 0, GPUVM_WRITE_ONLY), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	a.check_buffer(0);
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check();
}

TEST(many_rounds, .traps = trap::all, .devices = device::plain, .kinds = kind::map | kind::library)
{
	fixture fx(t, flags);
	array a(fx, t.v.kind, 30 * page);
	a.link();
	std::atomic<bool> stop{false};
	std::atomic<uint64_t> started{1}, ended{1};
	a.kernel_on(0, GPUVM_READ_WRITE, {kernel::stamp, 0, a.size(), 1});
	std::vector<std::thread> readers;
	for (int i = 0; i < 3; i++)
		readers.emplace_back([&, i] {
			random_source random(t.seed + i);
			while (!stop) {
				uint64_t oldest = ended;
				auto word = reinterpret_cast<uint64_t *>(a.data() + random.below(30) * page);
				uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
				if (value < oldest || value > started)
					FAIL("generation %llu, not %llu to %llu", (unsigned long long)value,
					     (unsigned long long)oldest, (unsigned long long)started.load());
			}
		});
	for (uint64_t g = 2; g < t.rounds(200, 10000); g++) {
		started = g;
		a.kernel_on(0, GPUVM_READ_WRITE, {kernel::stamp, 0, a.size(), g});
		ended = g;
	}
	stop = true;
	for (auto &th : readers)
		th.join();
	a.check();
}

// A kernel writes the first half of an array, and the host the second. The chunk in the middle is both's: a write that
// comes between the begin's copy and the end would be lost with it.
TEST(host_writes_beside_a_kernel, .traps = trap::all, .devices = device::single, .kinds = kind::map | kind::library)
{
	constexpr size_t half = 40 * page, own = 20 * page;
	fixture fx(t, flags);
	array a(fx, t.v.kind, 2 * half);
	a.link();
	if (host_faults *f = fx.dev().faults())
		f->delay_us = 50;
	std::atomic<bool> stop{false};
	unsigned written[] = {0, 0};
	std::vector<std::thread> writers;
	for (size_t i : {0, 1})
		writers.emplace_back([&, i] {
			for (; !stop; written[i]++) {
				CHECK_OK(gpuvm_host_begin(a.data() + half, half, GPUVM_READ_WRITE));
				for (size_t at = half + i * own; at < half + (i + 1) * own; at += page)
					__atomic_fetch_add(a.data() + at, 1, __ATOMIC_RELAXED);
			}
		});
	uint64_t start = now_ns();
	while (seconds_since(start) < (t.full ? 20 : 0.5)) {
		CHECK_OK(gpuvm_kernel_begin_range(a.data(), half, 0, GPUVM_READ_WRITE));
		a.run(0, {kernel::add, 0, half, 1});
		CHECK_OK(gpuvm_kernel_end_range(a.data(), half, 0));
	}
	stop = true;
	for (auto &th : writers)
		th.join();
	for (size_t i : {0, 1})
		for (size_t at = half + i * own; at < half + (i + 1) * own; at += page)
			a.model()[at] += uint8_t(written[i]);
	a.check();
}
