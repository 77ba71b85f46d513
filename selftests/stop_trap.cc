// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the trap sigsegv-stop, which is the baseline of the benchmark: what it can't do is refused, and what it does
// ends.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

void expect_refusal(machine &m, int flags)
{
	stderr_capture capture;
	int err = m.init(flags);
	std::string said = capture.text();
	CHECK_EQ(err, GPUVM_EPROT);
	if (said.find("gpuvm_pre_init()") == std::string::npos)
		FAIL("no cure is named: %s", said.c_str());
}

// Every copy of this device needs a lock of the program's.
struct locked_device {
	std::mutex lock;
	static int read(void *arg, const void *devbuf, size_t off, void *dst, size_t n)
	{
		std::lock_guard g(static_cast<locked_device *>(arg)->lock);
		memcpy(dst, static_cast<const char *>(devbuf) + off, n);
		return 0;
	}
	static int write(void *arg, void *devbuf, size_t off, const void *src, size_t n)
	{
		std::lock_guard g(static_cast<locked_device *>(arg)->lock);
		memcpy(static_cast<char *>(devbuf) + off, src, n);
		return 0;
	}
};
} // namespace

TEST(drivers_threads_must_be_known, .devices = device::hostcb | device::opencl)
{
	std::unique_ptr<machine> m = make_machine(t);
	expect_refusal(*m, GPUVM_TRAP_SIGSEGV_STOP);
	// Half of the calls are not enough.
	CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT));
	expect_refusal(*m, GPUVM_TRAP_SIGSEGV_STOP);
	CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT));
	CHECK_OK(m->init(GPUVM_TRAP_SIGSEGV_STOP));
}

TEST(environment_alone, .devices = device::hostcb | device::opencl)
{
	restart_with(t, {"GPUVM_TRAP=sigsegv-stop"});
	std::unique_ptr<machine> m = make_machine(t);
	expect_refusal(*m, 0);
}

TEST(without_a_driver, .devices = device::host)
{
	restart_with(t, {"GPUVM_TRAP=sigsegv-stop"});
	fixture fx(t);
	array a(fx, kind::map, 40 * page);
	a.link();
	a.add_everywhere(0, 1);
	a.check();
}

// The device that holds the data is asked for it while a thread is stopped that has its lock.
TEST(threads_that_stand_in_the_driver, .devices = device::none)
{
	locked_device device;
	gpuvm_host_device functions = {sizeof functions, locked_device::read, locked_device::write, &device};
	void *list[] = {&functions};
	CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT));
	CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT));
	CHECK_OK(gpuvm_init(1, list, GPUVM_HOST | GPUVM_TRAP_SIGSEGV_STOP));

	const size_t n = 40 * page;
	block memory(kind::map, n);
	std::vector<uint8_t> buffer(n), model(n);
	fill_pattern(model.data(), 0, n, 5);
	CHECK_OK(gpuvm_link(memory.data(), n, 0, buffer.data(), GPUVM_ON_HOST));
	CHECK_OK(gpuvm_kernel_begin(memory.data(), 0, GPUVM_WRITE_ONLY));
	fill_pattern(buffer.data(), 0, n, 5);
	CHECK_OK(gpuvm_kernel_end(memory.data(), 0));

	std::atomic<bool> has_it{false}, over{false};
	std::thread holder([&] {
		std::lock_guard g(device.lock);
		has_it = true;
		// The thread runs until the other's touch stops it; then it goes on and gives the lock back.
		for (uint64_t start = now_ns(); !over && seconds_since(start) < 0.1;)
			std::atomic_signal_fence(std::memory_order_seq_cst);
	});
	while (!has_it)
		sleep_ms(1);
	CHECK_BYTES(memory.data(), model.data(), n, "array");
	over = true;
	holder.join();
	CHECK_OK(gpuvm_unlink(memory.data(), 0));
}

TEST(not_for_the_runtime)
{
	restart_with(t, {"GPUVM_TRAP=sigsegv-stop", "HET_DEVICES=apart"});
	stderr_capture capture;
	memory_handle probe;
	int err = het_memory_create(1, probe.out());
	std::string said = capture.text();
	CHECK(err < 0);
	if (said.find("<het.h>") == std::string::npos)
		FAIL("no reason is given: %s", said.c_str());
}
