// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Calls wait here for an array while another thread removes its links or frees it. They must find ordinary memory then.
#include "harness/clock.h"
#include "harness/fixture.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include <CL/cl.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr size_t size = 300 * page;

// The library has brought the bytes home by the time the loader sees that there is no queue.
void give_to_driver(const void *p, size_t n)
{
	CHECK(clEnqueueWriteBuffer(nullptr, nullptr, CL_TRUE, 0, n, p, 0, nullptr, nullptr) != CL_SUCCESS);
}

void host_begin(void *p, size_t n)
{
	int err = gpuvm_host_begin(p, n, GPUVM_READ_ONLY);
	if (err && err != GPUVM_EHOSTPTR)
		CHECK_OK(err);
}

// These threads make such calls until they are told to stop.
class callers
{
      public:
	callers(uint8_t *p, size_t n)
	{
		for (unsigned i = 0; i < 6; i++)
			threads_.emplace_back([=, this] {
				while (!stop_)
					i % 3 ? give_to_driver(p, n) : host_begin(p, n);
			});
	}
	~callers()
	{
		stop_ = true;
		for (auto &th : threads_)
			th.join();
	}

      private:
	std::atomic<bool> stop_{false};
	std::vector<std::thread> threads_;
};
} // namespace

TEST(unlinked_meanwhile, .traps = trap::all, .devices = device::host | device::hostcb,
     .kinds = kind::mmapped | kind::library)
{
	restart_with(t, {"GPUVM_QUIET=1"}); // a call may find no array, and would report it
	fixture fx(t);
	array a(fx, t.v.kind, size);
	callers others(a.data(), a.size());
	uint64_t start = now_ns();
	while (seconds_since(start) < (t.full ? 30 : 0.7)) {
		a.link();
		a.add_everywhere(0, 1);
		CHECK_OK(gpuvm_unlink(a.data(), 0));
		a.check("unlinked");
	}
}

// The call waits for a fetch that is under way, which is that of the unlink.
TEST(unlinked_by_the_one_who_fetches, .traps = trap::all, .devices = device::hostcb,
     .kinds = kind::mmapped | kind::library)
{
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page);
	for (uint64_t round = 0; round < t.rounds(20, 500); round++) {
		a.link();
		a.add_everywhere(0, 1);
		fx.dev().faults()->block_reads = true;
		std::vector<std::thread> threads;
		threads.emplace_back([&] { CHECK_OK(gpuvm_unlink(a.data(), 0)); });
		sleep_ms(3);
		for (unsigned i = 0; i < 5; i++)
			threads.emplace_back([&] { give_to_driver(a.data(), a.size()); });
		sleep_ms(3);
		fx.dev().faults()->block_reads = false;
		for (auto &th : threads)
			th.join();
		a.check("unlinked");
	}
}

// Two threads end the life of an array at once: one unlinks it, and the other one frees it.
TEST(freed_meanwhile, .traps = trap::all, .devices = device::hostcb, .kinds = kind::mmapped | kind::library)
{
	if (t.v.kind != kind::library)
		skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	for (uint64_t round = 0; round < t.rounds(20, 500); round++) {
		array a(fx, t.v.kind, 20 * page);
		a.link();
		a.add_everywhere(0, 1);
		fx.dev().faults()->block_reads = true;
		std::thread unlinking([&] {
			int err = gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES);
			CHECK(!err || err == GPUVM_EHOSTPTR);
		});
		if (round % 2)
			sleep_ms(2);
		std::thread freeing([&] {
			if (t.v.kind == kind::library)
				CHECK_OK(gpuvm_free(a.data()));
			else
				free(a.data());
		});
		sleep_ms(2);
		fx.dev().faults()->block_reads = false;
		unlinking.join();
		freeing.join();
		a.abandon();
		array next(fx, t.v.kind, 20 * page, round);
		next.link();
		next.add_everywhere(0, 1);
		next.check("the next array");
	}
}

// The unlink waits for one chunk's bytes, which a device still sends, when a kernel begins on another that is at home.
TEST(a_kernel_begins_meanwhile, .traps = trap::all, .devices = device::hostcb, .kinds = kind::map | kind::library)
{
	fixture fx(t, GPUVM_STAT | GPUVM_STRICT);
	array a(fx, t.v.kind, 300 * page);
	const size_t at = 200 * page, n = 100 * page;
	a.link();
	for (int access : {GPUVM_READ_ONLY, GPUVM_READ_WRITE}) {
		a.add_everywhere(0, 1);
		a.check(at, n);
		fx.dev().faults()->block_reads = true;
		std::thread other([&] { CHECK_ERR(gpuvm_unlink(a.data(), 0), GPUVM_ESTATE); });
		sleep_ms(10);
		CHECK_OK(gpuvm_kernel_begin_range(a.data() + at, n, 0, access));
		fx.dev().faults()->block_reads = false;
		other.join();
		if (access == GPUVM_READ_WRITE)
			a.run(0, {kernel::add, at, n, 1});
		CHECK_OK(gpuvm_kernel_end_range(a.data() + at, n, 0));
		a.check();
	}
	CHECK_OK(gpuvm_unlink(a.data(), 0));
	a.check("unlinked");
}
