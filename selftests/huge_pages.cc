// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests gpuvm_malloc(GPUVM_HUGE) where huge pages are reserved: arrays come and go two megabytes at a time, and nothing
// else of what a program may expect changes.
#include "harness/fixture.h"
#include "harness/pattern.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096, huge = 2 << 20;

size_t free_huge_pages()
{
	FILE *f = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "r");
	size_t n = 0;
	if (!f || fscanf(f, "%zu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

void need(size_t pages)
{
	if (free_huge_pages() < pages)
		skip("too few huge pages are reserved (vm.nr_hugepages)");
}

// Returns KernelPageSize of the mapping that holds an address, in bytes.
size_t page_size_at(const void *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	CHECK(f);
	char line[512];
	unsigned long begin, end;
	size_t size = 0;
	bool inside = false;
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			inside = (unsigned long)p >= begin && (unsigned long)p < end;
		else if (inside && sscanf(line, "KernelPageSize: %zu kB", &size) == 1)
			break;
	}
	fclose(f);
	return size * 1024;
}
} // namespace

TEST(comes_in_huge_pages, .traps = trap::all, .devices = device::plain, .alone = true)
{
	need(4);
	fixture fx(t);
	if (t.v.trap == trap::kmod)
		skip("the module has huge pages of its own");
	size_t before = free_huge_pages();
	{
		array a(fx, kind::library_huge, 3 * huge);
		CHECK_EQ(page_size_at(a.data()), huge);
		a.link();
		a.add_everywhere(0, 1);
		a.check();
		auto fetches = count_of(GPUVM_STAT_BYTES_TO_HOST);
		a.add_everywhere(0, 2);
		a.check(huge + 5, 1, "one byte");
		CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_HOST) - fetches, huge);
	}
	CHECK_EQ(free_huge_pages(), before);
}

// Reads are shared, and writes move what they must, in units of a huge page.
TEST(shared_and_written, .traps = trap::all, .devices = device::plain, .alone = true)
{
	need(4);
	fixture fx(t);
	array a(fx, kind::library_huge, 4 * huge);
	a.link();
	for (unsigned round = 1; round < 6; round++) {
		a.add_everywhere(0, round);
		a.check("read");
		a.check_sum(0);
		a.write_on_host(t.random.below(a.size() - 100), 100, round);
		a.check("written");
		a.add_everywhere(0, round);
		a.write_on_host(t.random.below(a.size() - 100), 100, round); // that part was not read before
		a.kernel_on(0, GPUVM_READ_ONLY, {kernel::add, 0, 0, 0});
		a.check_buffer(0);
	}
}

// The arrays own some huge pages whole, or none, and the rest is an edge.
TEST(parts_of_a_block, .traps = trap::all, .devices = device::host, .alone = true)
{
	need(4);
	fixture fx(t);
	auto *p = static_cast<uint8_t *>(gpuvm_malloc(4 * huge, GPUVM_ALL_DEVICES, GPUVM_HUGE));
	CHECK(p);
	{
		array first(fx, p + 13, 5 * page), second(fx, p + 6 * page, huge + 10 * page, 2),
			third(fx, p + 2 * huge, 2 * huge, 3);
		for (array *a : {&first, &second, &third})
			a->link();
		for (uint8_t round = 1; round < 4; round++) {
			for (array *a : {&first, &second, &third}) {
				a->add_everywhere(0, round);
				a->check();
				a->write_on_host(t.random.below(a->size()), 1, round);
			}
		}
		for (array *a : {&first, &second, &third})
			a->check("in the end");
	}
	CHECK_OK(gpuvm_free(p));
}

TEST(kernel_mode_and_fork, .traps = trap::uffd, .devices = device::host, .alone = true)
{
	need(4);
	fixture fx(t);
	array a(fx, kind::library_huge, 2 * huge);
	a.link();
	a.add_everywhere(0, 7);
	int fds[2];
	CHECK(!pipe(fds));
	CHECK_EQ(write(fds[1], a.data() + huge - 10, 20), 20);
	uint8_t got[20];
	CHECK_EQ(read(fds[0], got, 20), 20);
	CHECK_BYTES(got, a.model() + huge - 10, 20, "written to a pipe");
	a.add_everywhere(0, 1);
	pid_t child = fork();
	if (!child)
		_exit(memcmp(a.data(), a.model(), a.size()) ? 1 : 0);
	int status = -1;
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	a.check();
}

// When huge pages are used up, others must do.
TEST(more_than_there_are, .traps = trap::best, .devices = device::host, .alone = true)
{
	need(1);
	fixture fx(t);
	size_t n = (free_huge_pages() + 1) * huge;
	if (n > size_t(256) << 20)
		skip("more huge pages are reserved than this test wants to use");
	array a(fx, kind::library_huge, n);
	a.link();
	a.add_everywhere(0, 1);
	a.check();
}

// ---- where none are reserved: pages of shared memory that are collapsed on request ----

namespace
{
// Returns how many bytes at [p, p + n) page tables map as huge pages.
size_t mapped_huge(const void *p, size_t n)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	CHECK(f);
	char line[512];
	auto at = (unsigned long)p;
	unsigned long begin, end;
	size_t total = 0, kb;
	bool inside = false;
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			inside = begin >= at && end <= at + n;
		else if (inside && (sscanf(line, "ShmemPmdMapped: %zu kB", &kb) == 1 ||
				    sscanf(line, "FilePmdMapped: %zu kB", &kb) == 1))
			total += kb * 1024;
	}
	fclose(f);
	return total;
}
} // namespace

TEST(statistic_counts_mappings, .traps = trap::all, .devices = device::host, .alone = true)
{
	if (free_huge_pages())
		skip("huge pages are reserved");
	fixture fx(t);
	if (t.v.trap == trap::kmod)
		skip("the module has huge pages of its own");
	CHECK_EQ(count_of(GPUVM_STAT_HUGE_BYTES), 0);
	{
		array small(fx, kind::library, 4 * huge);
		CHECK_EQ(count_of(GPUVM_STAT_HUGE_BYTES), 0);
		array a(fx, kind::library_huge, 4 * huge);
		a.link();
		size_t counted = count_of(GPUVM_STAT_HUGE_BYTES);
		note("%zu of %zu bytes", counted, a.size());
		memset(gpuvm_alias(a.data()), 0, a.size()); // a mapping that was split shows none of it
		CHECK_EQ(mapped_huge(gpuvm_alias(a.data()), a.size()), counted);
		memcpy(gpuvm_alias(a.data()), a.model(), a.size());
		a.add_everywhere(0, 1);
		a.check();
		// Userfaultfd shows pages one by one, so only another trap can keep them together.
		if (t.v.trap == trap::sigsegv && counted == a.size())
			CHECK_EQ(mapped_huge(a.data(), a.size()), a.size());
		a.add_everywhere(0, 2);
		a.check();
	}
	CHECK_EQ(count_of(GPUVM_STAT_HUGE_BYTES), 0);
}
