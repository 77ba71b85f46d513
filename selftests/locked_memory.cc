// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The program has locked its memory, or advised it to use huge pages, or has a small RLIMIT_MEMLOCK.
#include "harness/fixture.h"
#include "harness/process.h"

#include <cstdlib>
#include <grp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr size_t huge_page = 2 << 20;
constexpr uint32_t kinds = kind::map | kind::mmapped | kind::slice | kind::library;

void live(array &a)
{
	a.link();
	for (int round = 0; round < 3; round++) {
		a.add_everywhere(0, 1);
		a.check(a.size() / 2, 100);
		a.write_on_host(a.size() / 3, 100, round);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		a.check_buffer(0);
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		a.check();
	}
	a.add_everywhere(0, 1);
	a.unlink_everywhere();
	a.check("after unlink");
}

// Locks the pages that hold the array with mlock().
void lock(array &a)
{
	if (mlock(a.data(), a.size()) == 0)
		return;
	if (errno == ENOMEM || errno == EPERM)
		skip("mlock: %s", strerror(errno));
	FAIL("mlock: %s", strerror(errno));
}
} // namespace

TEST(locked_before_link, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	lock(a);
	live(a);
	live(a);
	CHECK_SYS(munlock(a.data(), a.size()));
}

TEST(locked_after_link, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	lock(a);
	a.add_everywhere(0, 1);
	a.check();
	a.add_everywhere(0, 1);
	CHECK_SYS(munlock(a.data(), a.size()));
	a.check();
	a.unlink_everywhere();
	live(a);
}

TEST(locked_while_revoked, .traps = trap::uffd | trap::kmod, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	a.add_everywhere(0, 1);
	// mlock() wants the pages present: this is a kernel-mode touch of all of them, or a clear refusal.
	if (mlock(a.data(), a.size()) && errno != ENOMEM && errno != EAGAIN && errno != EFAULT && errno != EPERM)
		FAIL("mlock: %s", strerror(errno));
	a.check();
	a.add_everywhere(0, 1);
	a.check();
	munlock(a.data(), a.size());
}

TEST(everything_locked, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	fixture fx(t);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		skip("mlockall: %s", strerror(errno));
	array a(fx, t.v.kind, 100 * page);
	live(a);
	munlockall();
	live(a);
}

TEST(huge_pages_advised, .traps = trap::all, .devices = device::plain)
{
	fixture fx(t);
	const size_t n = 4 * huge_page;
	void *memory = nullptr;
	CHECK_EQ(posix_memalign(&memory, huge_page, n), 0);
	auto p = static_cast<uint8_t *>(memory);
	if (madvise(p, n, MADV_HUGEPAGE))
		skip("no transparent huge pages: %s", strerror(errno));
	struct {
		size_t from, size;
	} parts[] = {{0, n}, {page, n - page}, {huge_page / 2, 2 * huge_page}, {100, 3 * huge_page}};
	for (auto &part : parts) {
		array a(fx, p + part.from, part.size, part.size);
		live(a);
	}
	{
		array a(fx, p, n);
		a.link();
		madvise(p, n, MADV_HUGEPAGE);
		a.add_everywhere(0, 1);
		a.check("huge pages advised while linked");
		madvise(p, n, MADV_NOHUGEPAGE);
		a.add_everywhere(0, 1);
		a.check("and forbidden");
	}
	free(memory);
}

TEST(huge_library_memory, .traps = trap::all, .devices = device::single)
{
	fixture fx(t);
	for (size_t n : {huge_page / 2, huge_page, 5 * huge_page + 3 * page, 3 * huge_page + 1}) {
		array a(fx, kind::library_huge, n, n);
		live(a);
	}
}

namespace
{
void allow_little_locked_memory(rlim_t bytes)
{
	rlimit small = {bytes, bytes};
	CHECK_SYS(setrlimit(RLIMIT_MEMLOCK, &small));
	if (geteuid() == 0) {
		// The limit does not bind root.
		CHECK_SYS(setgroups(0, nullptr));
		CHECK_SYS(setresgid(65534, 65534, 65534));
		CHECK_SYS(setresuid(65534, 65534, 65534));
		CHECK_SYS(prctl(PR_SET_DUMPABLE, 1));
	}
}
} // namespace

TEST(small_memlock_limit, .traps = (trap::all & ~trap::kmod) | trap::best, .devices = device::host, .kinds = kinds)
{
	allow_little_locked_memory(64 << 10);
	fixture fx(t);
	array a(fx, t.v.kind, 1000 * page);
	live(a);
	array locked(fx, t.v.kind, 8 * page);
	if (mlock(locked.data(), locked.size()) == 0)
		live(locked);
}

// The module's pages count as locked, as do its ring and tables: past the limit there is an error, and everything goes
// on.
TEST(module_over_the_limit, .traps = trap::kmod, .devices = device::host, .kinds = kind::map | kind::slice)
{
	allow_little_locked_memory(1 << 20);
	fixture fx(t);
	array little(fx, t.v.kind, 6 * page);
	live(little);
	array much(fx, t.v.kind, 1000 * page);
	int err = gpuvm_link(much.data(), much.size(), 0, much.buffer(0), GPUVM_ON_HOST);
	if (!err)
		skip("the module does not count locked memory");
	CHECK_EQ(err, GPUVM_ESALLOC);
	much.check("not linked");
	live(little);
}

TEST(few_descriptors, .traps = trap::all, .devices = device::host)
{
	rlimit few = {64, 64};
	CHECK_SYS(setrlimit(RLIMIT_NOFILE, &few));
	fixture fx(t);
	std::vector<std::unique_ptr<array>> arrays;
	for (int i = 0; i < 300; i++) {
		arrays.push_back(std::make_unique<array>(fx, kind::map, 2 * page, i));
		arrays.back()->link();
	}
	for (auto &a : arrays)
		a->add_everywhere(0, 1);
	for (auto &a : arrays)
		a->check();
}
