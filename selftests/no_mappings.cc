// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A process has used up its limits (vm.max_map_count, ulimit -v), and frees linked memory, or forks. What malloc then
// hands out again must be memory as any other, in the process and in its children.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/process.h"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

// Makes mappings until there can be no more.
class all_mappings
{
      public:
	all_mappings()
	{
		std::ifstream("/proc/sys/vm/max_map_count") >> limit_;
		if (limit_ > 300000)
			skip("vm.max_map_count is %zu", limit_);
		void *p = mmap(nullptr, size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		CHECK(p != MAP_FAILED);
		memory_ = static_cast<uint8_t *>(p);
	}
	~all_mappings() { munmap(memory_, size()); }
	all_mappings(const all_mappings &) = delete;
	all_mappings &operator=(const all_mappings &) = delete;

	// Every second page gets another protection. A page in the middle costs two, so the last one may remain.
	void use_up()
	{
		while (mprotect(memory_ + used_, page, PROT_NONE) == 0)
			used_ += 2 * page;
		for (size_t at = size() - page; mprotect(memory_ + at, page, PROT_NONE) == 0; at -= 2 * page)
			;
	}

      private:
	size_t size() const { return 2 * limit_ * page; }
	size_t limit_ = 65530, used_ = 0;
	uint8_t *memory_ = nullptr;
};

void limit_address_space()
{
	size_t pages = 0;
	std::ifstream("/proc/self/statm") >> pages;
	rlimit limit = {pages * page, RLIM_INFINITY};
	CHECK_SYS(setrlimit(RLIMIT_AS, &limit));
}

// malloc gives the memory out again, to this process and to a child, and it must be nobody's but theirs.
void use_again(size_t n)
{
	auto *p = static_cast<uint8_t *>(malloc(n));
	CHECK(p);
	fill_pattern(p, 0, n, 7);
	std::vector<uint8_t> want(p, p + n);
	ending e = run_process(20, [&] {
		CHECK_BYTES(p, want.data(), n, "malloc'ed memory in a child");
		memset(p, 0xee, n);
	});
	expect_success(e, "child that uses malloc'ed memory");
	CHECK_BYTES(p, want.data(), n, "malloc'ed memory");
	free(p);
}

// The heap has freed memory beside the array, so that realloc() needs no more of the system.
struct heap_array {
	explicit heap_array(fixture &fx) : beside(malloc(2 * n)), a(fx, kind::heap, n)
	{
		CHECK(beside);
		memset(beside, 1, 2 * n);
		a.link();
		a.add_everywhere(0, 1);
	}
	static constexpr size_t n = 60000;
	void *beside;
	array a;
};

void freed(const context &t, void (*use_up)())
{
	fixture fx(t);
	heap_array h(fx);
	use_up();
	free(h.a.data());
	h.a.abandon();
	use_again(heap_array::n);
}

void reallocated(const context &t, void (*use_up)())
{
	fixture fx(t);
	heap_array h(fx);
	use_up();
	free(h.beside);
	auto *p = static_cast<uint8_t *>(realloc(h.a.data(), heap_array::n + 100));
	CHECK(p);
	h.a.abandon();
	CHECK_BYTES(p, h.a.model(), heap_array::n, "reallocated array");
	CHECK_EQ(count_of(GPUVM_STAT_FAILURES), 1);
	free(p);
	use_again(heap_array::n);
}

void unlinked(const context &t, void (*use_up)())
{
	fixture fx(t);
	array a(fx, t.v.kind, 60000);
	a.link();
	a.add_everywhere(0, 1);
	use_up();
	CHECK_OK(gpuvm_unlink(a.data(), 0));
	a.check("unlinked");
	expect_success(run_process(20, [&] { a.check("unlinked, in a child"); }), "child");
	a.link();
	a.add_everywhere(0, 1);
	a.check("linked again");
}

void forked(const context &t, void (*use_up)())
{
	fixture fx(t);
	array a(fx, t.v.kind, 60000), b(fx, t.v.kind, 50000);
	for (array *one : {&a, &b}) {
		one->link();
		one->add_everywhere(0, 1);
	}
	use_up();
	ending e = run_process(20, [&] {
		a.check("in the child");
		b.check("in the child");
	});
	expect_success(e, "child that reads linked arrays");
	a.check();
	b.check();
}

all_mappings &mappings()
{
	static all_mappings m;
	return m;
}

void without_mappings(const context &t, void (*body)(const context &t, void (*use_up)()))
{
	skip_under_sanitizers("they need mappings of their own");
	mappings();
	body(t, [] { mappings().use_up(); });
}

void without_address_space(const context &t, void (*body)(const context &t, void (*use_up)()))
{
	skip_under_sanitizers("they need address space of their own");
	body(t, limit_address_space);
}
} // namespace

TEST(free_without_mappings, .traps = trap::all, .devices = device::host, .alone = true)
{
	without_mappings(t, freed);
}

TEST(realloc_without_mappings, .traps = trap::all, .devices = device::host, .alone = true)
{
	without_mappings(t, reallocated);
}

TEST(unlink_without_mappings, .traps = trap::all, .devices = device::host, .kinds = kind::heap | kind::map,
     .alone = true)
{
	without_mappings(t, unlinked);
}

TEST(fork_without_mappings, .traps = trap::all, .devices = device::host,
     .kinds = kind::heap | kind::map | kind::library, .alone = true)
{
	without_mappings(t, forked);
}

// An array that can't be shown in part is shown whole, but not while a kernel writes some of it.
TEST(strict_without_mappings, .traps = trap::all, .devices = device::host, .alone = true)
{
	skip_under_sanitizers("they need mappings of their own");
	mappings();
	fixture fx(t, GPUVM_STAT | GPUVM_STRICT);
	array a(fx, kind::map, 1 << 20);
	const size_t half = a.size() / 2;
	a.link();
	a.add_everywhere(0, 1);
	CHECK_OK(gpuvm_kernel_begin_range(a.data(), half, 0, GPUVM_READ_WRITE));
	std::vector<uint8_t> seen(a.size());
	std::atomic<bool> used_up{false};
	std::thread toucher([&] { // starts it while that can be done
		while (!used_up)
			sched_yield();
		memcpy(seen.data() + half, a.data() + half, half);
		memcpy(seen.data(), a.data(), half);
	});
	mappings().use_up();
	used_up = true;
	sleep_ms(100);
	a.run(0, {kernel::add, 0, half, 1});
	CHECK_OK(gpuvm_kernel_end_range(a.data(), half, 0));
	toucher.join();
	CHECK_BYTES(seen.data(), a.model(), a.size(), "what was touched during a kernel");
	a.check();
}

// What can't be taken from the host at the end of a kernel, as no mapping can be split, gets what the kernel has
// written.
TEST(part_without_mappings, .traps = trap::all, .devices = device::host, .alone = true)
{
	skip_under_sanitizers("they need mappings of their own");
	mappings();
	fixture fx(t);
	array a(fx, kind::map, 1 << 20);
	const size_t third = a.size() / 3;
	a.link();
	a.add_everywhere(0, 1);
	a.check();
	CHECK_OK(gpuvm_kernel_begin_range(a.data() + third, third, 0, GPUVM_READ_WRITE));
	mappings().use_up();
	a.run(0, {kernel::add, third, third, 1});
	CHECK_OK(gpuvm_kernel_end_range(a.data() + third, third, 0));
	a.check("after an end");
	a.data()[third]++;
	a.model()[third]++;
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	a.run(0, {kernel::add, 0, a.size(), 1});
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check("after another");
}

TEST(free_without_address_space, .traps = trap::all, .devices = device::host)
{
	without_address_space(t, freed);
}

TEST(realloc_without_address_space, .traps = trap::all, .devices = device::host)
{
	without_address_space(t, reallocated);
}
