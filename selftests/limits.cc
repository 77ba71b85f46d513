// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests gpuvm_init() under limits of the process (ulimit).
#include "harness/clock.h"
#include "harness/fixture.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::mmapped | kind::library | kind::slice;

void live(fixture &fx, uint32_t kind)
{
	array a(fx, kind, 1000 * page);
	a.link();
	for (int round = 0; round < 3; round++) {
		a.add_everywhere(0, 1);
		a.check();
	}
	a.unlink_everywhere();
	a.check("after unlink");
}

// The library's memory is a file to the system, but not one of the program's, so this limit must not count for it.
void limit_file_size(const context &t, rlim_t bytes)
{
	rlimit limit = {bytes, bytes};
	CHECK_SYS(setrlimit(RLIMIT_FSIZE, &limit));
	fixture fx(t);
	live(fx, t.v.kind);
}

// Root is not bound by the limit on processes.
void become_ordinary_user()
{
	if (geteuid() != 0)
		return;
	constexpr uid_t nobody_else = 54321;
	CHECK_SYS(setgroups(0, nullptr));
	CHECK_SYS(setresgid(nobody_else, nobody_else, nobody_else));
	CHECK_SYS(setresuid(nobody_else, nobody_else, nobody_else));
	CHECK_SYS(prctl(PR_SET_DUMPABLE, 1)); // makes it like a process that never had privileges
}

void limit_processes(rlim_t n)
{
	rlimit limit;
	CHECK_SYS(getrlimit(RLIMIT_NPROC, &limit));
	limit.rlim_cur = std::min(n, limit.rlim_max);
	CHECK_SYS(setrlimit(RLIMIT_NPROC, &limit));
}

bool threads_can_start()
{
	try {
		std::thread([] {}).join();
		return true;
	} catch (const std::system_error &) {
		return false;
	}
}
} // namespace

TEST(file_size_of_20_GB, .traps = trap::all, .devices = device::host, .kinds = kinds)
{
	limit_file_size(t, rlim_t(20) << 30);
}

TEST(file_size_of_1_GB, .traps = trap::all, .devices = device::host, .kinds = kinds)
{
	limit_file_size(t, rlim_t(1) << 30);
}

// One process more is allowed each time: all of the library's threads but the last ones can be started, until all can.
TEST(few_threads, .traps = trap::all, .devices = device::none)
{
	become_ordinary_user();
	limit_processes(1);
	if (threads_can_start())
		skip("the limit on processes does not bind this user");
	int err = -1, attempts = 0;
	for (rlim_t n = 1; err && n < 100; n++) {
		limit_processes(n);
		stderr_capture capture;
		err = gpuvm_init(1, nullptr, GPUVM_HOST | trap_flag(t.v.trap));
		std::string said = capture.text();
		if (err == GPUVM_EPROT)
			skip("%s", said.c_str());
		if (err)
			CHECK_ERR(err, GPUVM_ESALLOC);
		attempts++;
		sleep_ms(5); // lets the threads that were started do something
	}
	limit_processes(RLIM_INFINITY);
	note("%d attempts, the last one: %d", attempts, err);
	CHECK(attempts > 1);
	if (err)
		CHECK_OK(gpuvm_init(1, nullptr, GPUVM_HOST | trap_flag(t.v.trap)));
	block array(kind::map, 10 * page);
	std::vector<uint8_t> buffer(array.size());
	CHECK_OK(gpuvm_link(array.data(), array.size(), 0, buffer.data(), GPUVM_ON_HOST));
	CHECK_OK(gpuvm_kernel_begin(array.data(), 0, GPUVM_READ_WRITE));
	memset(buffer.data(), 0x5e, buffer.size());
	CHECK_OK(gpuvm_kernel_end(array.data(), 0));
	CHECK_BYTES(array.data(), buffer.data(), buffer.size(), "array");
	CHECK_OK(gpuvm_unlink(array.data(), 0));
}
