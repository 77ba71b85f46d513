// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Only what is not valid where it is needed may travel. Arrays here have no edges.
#include "harness/clock.h"
#include "harness/fixture.h"

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/utsname.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr size_t largest_chunk = 2 << 20;
constexpr size_t size = 12 << 20;

struct movement {
	unsigned long long to_device = 0, to_host = 0, kept = 0, touches = 0, fetches = 0;

	// Waits a moment, as what is read ahead may be under way.
	static movement so_far()
	{
		sleep_ms(1);
		return {count_of(GPUVM_STAT_BYTES_TO_DEVICE), count_of(GPUVM_STAT_BYTES_TO_HOST),
			count_of(GPUVM_STAT_BYTES_KEPT), count_of(GPUVM_STAT_TOUCHES), count_of(GPUVM_STAT_FETCHES)};
	}
	movement since() const
	{
		movement now = so_far();
		return {now.to_device - to_device, now.to_host - to_host, now.kept - kept, now.touches - touches,
			now.fetches - fetches};
	}
};

// Before Linux 6.4 userfaultfd can't show a page read-only from the first instant: a host read of a chunk that was on
// the device makes the host its only owner.
bool reads_are_shared(const context &t)
{
	utsname system;
	CHECK_SYS(uname(&system));
	int major = 0, minor = 0;
	sscanf(system.release, "%d.%d", &major, &minor);
	bool old = major < 6 || (major == 6 && minor < 4) || getenv("GPUVM_UFFD_FEATURES");
	return !old || !(t.v.trap & (trap::uffd | trap::uffd_sigbus));
}

// The byte stays as it is.
void write_again(array &a, size_t at)
{
	volatile uint8_t *byte = a.data() + at;
	*byte = *byte;
}

void begin_and_end(array &a, int access)
{
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, access));
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
}
} // namespace

TEST(first_begin_moves_all_second_nothing, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	movement start = movement::so_far();
	a.link();
	CHECK_EQ(start.since().to_device, 0);
	begin_and_end(a, GPUVM_READ_WRITE);
	CHECK_EQ(start.since().to_device, size);
	CHECK_EQ(start.since().kept, 0);
	for (int access : {GPUVM_READ_WRITE, GPUVM_READ_ONLY, GPUVM_READ_WRITE}) {
		start = movement::so_far();
		begin_and_end(a, access);
		CHECK_EQ(start.since().to_device, 0);
		CHECK_EQ(start.since().to_host, 0);
		CHECK_EQ(start.since().kept, size);
	}
	a.check();
}

TEST(write_only_moves_nothing, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	movement start = movement::so_far();
	a.kernel_on(0, GPUVM_WRITE_ONLY, {kernel::fill, 0, size, 4});
	CHECK_EQ(start.since().to_device, 0);
	CHECK_EQ(start.since().to_host, 0);
	a.check();
	CHECK_EQ(start.since().to_host, size);
}

TEST(one_touch_fetches_one_chunk, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	a.add_everywhere(0, 1);
	movement start = movement::so_far();
	a.check(size / 2 + 100, 1);
	movement moved = start.since();
	CHECK_EQ(moved.touches, 1);
	CHECK_EQ(moved.fetches, 1);
	CHECK(moved.to_host >= page);
	CHECK_LE(moved.to_host, largest_chunk);
	// Its neighbours in the page cost no more.
	start = movement::so_far();
	a.check(size / 2, page);
	CHECK_EQ(start.since().touches, 0);
	CHECK_EQ(start.since().to_host, 0);
}

TEST(one_host_write_sends_one_chunk, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	a.add_everywhere(0, 1);
	a.check(); // the host reads all of it
	for (size_t at : {size_t(0), size / 3, size - 1}) {
		begin_and_end(a, GPUVM_READ_ONLY);
		a.write_on_host(at, 1, 9);
		movement start = movement::so_far();
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		movement moved = start.since();
		a.check_buffer(0);
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		CHECK(moved.to_device >= 1);
		CHECK_LE(moved.to_device, largest_chunk);
		CHECK_EQ(moved.to_device + moved.kept, size);
	}
}

TEST(readers_share, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	a.check(); // the first look at an adopted page may be a touch
	begin_and_end(a, GPUVM_READ_ONLY);
	movement start = movement::so_far();
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	a.check("host reads during a read-only kernel");
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check("host reads after a read-only kernel");
	movement moved = start.since();
	CHECK_EQ(moved.to_device, 0);
	CHECK_EQ(moved.to_host, 0);
	CHECK_EQ(moved.touches, 0);
	// The first write of a chunk is seen, but brings nothing.
	start = movement::so_far();
	a.write_on_host(size / 2, 1, 3);
	moved = start.since();
	CHECK_EQ(moved.to_host, 0);
	CHECK_LE(moved.touches, 1);
	a.kernel_on(0, GPUVM_READ_WRITE, {kernel::add, 0, size, 1});
	a.check();
}

TEST(scattered_writes, .traps = trap::all, .devices = device::host, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	for (int round = 0; round < 5; round++) {
		begin_and_end(a, GPUVM_READ_ONLY);
		const unsigned writes = 3;
		for (unsigned i = 0; i < writes; i++)
			a.write_on_host(t.random.below(size), 1, i);
		movement start = movement::so_far();
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		CHECK_LE(start.since().to_device, writes * largest_chunk);
		a.check_buffer(0);
		a.run(0, {kernel::add, 0, size, 1});
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		a.check();
	}
}

TEST(sequential_reads_grow, .traps = trap::all, .devices = device::plain, .kinds = kind::map)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	a.add_everywhere(0, 1);
	movement start = movement::so_far();
	a.check();
	movement moved = start.since();
	CHECK_EQ(moved.to_host, size); // every byte comes home once
	// There are far fewer trips than pages: at worst there is one for each smallest chunk.
	CHECK_LE(moved.touches, size / (64 << 10));
	CHECK_LE(moved.fetches, size / (64 << 10));
}

// What a kernel has read is read-only. The stream of writes is caught a few times, and pages take no faults of their
// own.
TEST(sequential_writes_grow, .traps = trap::uffd | trap::uffd_sigbus, .devices = device::host, .kinds = kind::map)
{
	skip_under_sanitizers("they touch memory of their own");
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, size);
	a.link();
	a.check();
	begin_and_end(a, GPUVM_READ_ONLY);
	movement before = movement::so_far();
	rusage used, then;
	getrusage(RUSAGE_THREAD, &then);
	for (size_t at = 0; at < size; at += page)
		write_again(a, at);
	getrusage(RUSAGE_THREAD, &used);
	CHECK_LE(before.since().touches, 12);
	CHECK_LE(used.ru_minflt - then.ru_minflt, size / page / 8);
	a.check();
}

// Each chunk is caught at its last page, and at the one before.
TEST(writes_backwards, .traps = trap::all, .devices = device::host, .kinds = kind::map)
{
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, size);
	a.link();
	a.check();
	begin_and_end(a, GPUVM_READ_ONLY);
	movement before = movement::so_far();
	for (size_t at = size; at; at -= page)
		write_again(a, at - 1);
	CHECK_LE(before.since().touches, 2 * size / (64 << 10));
	a.check();
}

TEST(between_devices, .traps = trap::all, .devices = device::several, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size / 4);
	size_t n = a.size();
	a.link_everywhere();
	a.add_everywhere(0, 1);
	movement start = movement::so_far();
	CHECK_OK(gpuvm_kernel_begin(a.data(), 1, GPUVM_READ_ONLY));
	a.check_buffer(1);
	CHECK_OK(gpuvm_kernel_end(a.data(), 1));
	CHECK_EQ(start.since().to_device, n);
	// Both have it now.
	start = movement::so_far();
	for (unsigned i : {0u, 1u}) {
		CHECK_OK(gpuvm_kernel_begin(a.data(), i, GPUVM_READ_ONLY));
		CHECK_OK(gpuvm_kernel_end(a.data(), i));
	}
	CHECK_EQ(start.since().to_device, 0);
	CHECK_EQ(start.since().kept, 2 * n);
	a.add_everywhere(1, 1);
	start = movement::so_far();
	a.add_everywhere(0, 1);
	CHECK_EQ(start.since().to_device, n);
	a.check();
}

TEST(ranges_move_their_chunks, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	a.check();
	const size_t off = size / 2 + 5000, n = 100000;
	movement start = movement::so_far();
	CHECK_OK(gpuvm_kernel_begin_range(a.data() + off, n, 0, GPUVM_READ_WRITE));
	movement moved = start.since();
	CHECK(moved.to_device >= n);
	CHECK_LE(moved.to_device, n + 2 * largest_chunk);
	a.run(0, {kernel::add, off, n, 1});
	CHECK_OK(gpuvm_kernel_end_range(a.data() + off, n, 0));
	// What lies elsewhere never left the host.
	start = movement::so_far();
	a.check(0, off - largest_chunk);
	a.check(off + n + largest_chunk, size - off - n - largest_chunk);
	CHECK_EQ(start.since().to_host, 0);
	CHECK_EQ(start.since().touches, 0);
	a.check();
}

// A chunk that a write-only kernel covers in part stays, and counts once though it is first and last.
TEST(part_of_one_chunk_is_kept, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, 4 * page);
	a.link();
	a.add_everywhere(0, 1);
	movement start = movement::so_far();
	CHECK_OK(gpuvm_kernel_begin_range(a.data() + 100, page, 0, GPUVM_WRITE_ONLY));
	movement moved = start.since();
	CHECK_EQ(moved.kept, a.size());
	CHECK_EQ(moved.to_device, 0);
	a.run(0, {kernel::fill, 100, page, 8});
	CHECK_OK(gpuvm_kernel_end_range(a.data() + 100, page, 0));
	a.check();
}

TEST(host_begin_fetches_at_once, .traps = trap::all, .devices = device::single, .kinds = kind::whole)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	a.link();
	a.add_everywhere(0, 1);
	movement start = movement::so_far();
	CHECK_OK(gpuvm_host_begin(a.data(), size, GPUVM_READ_ONLY));
	CHECK_EQ(start.since().to_host, size);
	a.check();
	CHECK_EQ(start.since().touches, 0);
	start = movement::so_far();
	begin_and_end(a, GPUVM_READ_ONLY);
	CHECK_EQ(start.since().to_device, reads_are_shared(t) ? 0 : size);
	// This makes the host the only owner.
	CHECK_OK(gpuvm_host_begin(a.data(), size, GPUVM_READ_WRITE));
	start = movement::so_far();
	a.write_on_host(0, size, 7);
	CHECK_EQ(start.since().touches, 0);
	begin_and_end(a, GPUVM_READ_ONLY);
	CHECK_EQ(start.since().to_device, size);
	a.check_buffer(0);
}

TEST(bookkeeping_is_small, .traps = trap::all, .devices = device::host, .kinds = kind::mmapped | kind::library)
{
	fixture fx(t, 0);
	const size_t n = 64 << 20;
	array a(fx, t.v.kind, n);
	a.link();
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check(0, n / 2);
	CHECK_LE(count_of(GPUVM_STAT_BOOKKEEPING), n / 1000 + (1 << 20));
	a.unlink_everywhere();
	CHECK_LE(count_of(GPUVM_STAT_BOOKKEEPING), 1 << 20);
}
