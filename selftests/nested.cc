// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels overlap on one device: a begin must not copy old bytes over what a kernel there has written already.
#include "harness/block.h"
#include "harness/fixture.h"

using namespace selftest;

namespace
{

constexpr size_t page = 4096;
constexpr unsigned kinds = kind::mmapped | kind::library | kind::slice;

// Touches without changing anything.
void touch(array &a, size_t at, bool write)
{
	volatile uint8_t *p = a.data() + at;
	uint8_t value = *p;
	if (write)
		*p = value;
}

TEST(begin_while_a_kernel_writes, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 70 * page);
	a.link();
	uint8_t value = 1;
	for (int first : {GPUVM_READ_WRITE, GPUVM_WRITE_ONLY})
		for (int second : {GPUVM_READ_ONLY, GPUVM_READ_WRITE, GPUVM_WRITE_ONLY}) {
			CHECK_OK(gpuvm_kernel_begin(a.data(), 0, first));
			a.run(0, {kernel::fill, 0, a.size(), value++});
			CHECK_OK(gpuvm_kernel_begin(a.data(), 0, second));
			a.check_buffer(0);
			if (second != GPUVM_READ_ONLY)
				a.run(0, {kernel::fill, 0, a.size(), value++});
			CHECK_OK(gpuvm_kernel_end(a.data(), 0));
			CHECK_OK(gpuvm_kernel_end(a.data(), 0));
			a.check("after both ends");
			// What the host writes travels again.
			a.write_on_host(0, a.size(), value++);
		}
}

TEST(parts_that_share_a_chunk, .traps = trap::all, .devices = device::single, .kinds = kind::library | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 70 * page);
	a.link();
	const size_t border = 10 * page + 100;
	for (int mode : {GPUVM_READ_WRITE, GPUVM_WRITE_ONLY}) {
		CHECK_OK(gpuvm_kernel_begin_range(a.data(), border, 0, mode));
		a.run(0, {kernel::fill, 0, border, 2});
		CHECK_OK(gpuvm_kernel_begin_range(a.data() + border, a.size() - border, 0, mode));
		a.run(0, {kernel::fill, border, a.size() - border, 3});
		CHECK_OK(gpuvm_kernel_end_range(a.data(), border, 0));
		CHECK_OK(gpuvm_kernel_end_range(a.data() + border, a.size() - border, 0));
		a.check("parts of one chunk");
		a.write_on_host(0, a.size(), 9);
	}
}

// The end of one part must not be taken for that of another which lies in the same chunk, or edge, and only reads.
TEST(reader_and_writer_of_one_chunk, .traps = trap::all, .devices = device::single,
     .kinds = kind::library | kind::slice | kind::heap)
{
	fixture fx(t);
	array a(fx, t.v.kind, 3 * page);
	a.link();
	constexpr size_t part = 100;
	uint8_t value = 1;
	for (size_t writer : {size_t(0), part}) {
		const size_t reader = part - writer;
		CHECK_OK(gpuvm_kernel_begin_range(a.data() + writer, part, 0, GPUVM_READ_WRITE));
		a.run(0, {kernel::fill, writer, part, value++});
		CHECK_OK(gpuvm_kernel_begin_range(a.data() + reader, part, 0, GPUVM_READ_ONLY));
		CHECK_OK(gpuvm_kernel_end_range(a.data() + writer, part, 0));
		a.check("the writer has ended");
		CHECK_OK(gpuvm_kernel_end_range(a.data() + reader, part, 0));
		a.check("both have ended");
		a.write_on_host(0, a.size(), value++);
	}
}

// Bytes beside a kernel's are the host's, also in an edge, and the next kernel there must get them as they are.
TEST(host_writes_beside_a_kernel_in_the_edge, .traps = trap::best, .devices = device::single)
{
	fixture fx(t);
	block memory(kind::map, 5 * page);
	array a(fx, memory.data() + page - 100, 3 * page);
	a.link();
	constexpr size_t part = 40;
	for (uint8_t round = 1; round < 4; round++) {
		CHECK_OK(gpuvm_kernel_begin_range(a.data(), part, 0, GPUVM_READ_WRITE));
		a.run(0, {kernel::fill, 0, part, round});
		a.write_on_host(part, part, round);
		CHECK_OK(gpuvm_kernel_begin_range(a.data() + part, part, 0, GPUVM_READ_WRITE));
		a.run(0, {kernel::add, part, part, round});
		CHECK_OK(gpuvm_kernel_end_range(a.data(), part, 0));
		CHECK_OK(gpuvm_kernel_end_range(a.data() + part, part, 0));
		a.check("both have ended");
	}
}

// The ends of kernels on the same bytes can't be told apart, so the results are there after the last one.
TEST(reader_and_writer_of_the_same_bytes, .traps = trap::all, .devices = device::single,
     .kinds = kind::library | kind::slice | kind::heap)
{
	skip_under_tsan("fetches race with a kernel on purpose");
	fixture fx(t);
	array a(fx, t.v.kind, 3 * page);
	a.link();
	uint8_t value = 1;
	for (size_t part : {size_t(100), a.size()})
		for (int first : {GPUVM_READ_ONLY, GPUVM_READ_WRITE})
			for (bool late : {false, true}) {
				const int second = first ^ GPUVM_READ_ONLY ^ GPUVM_READ_WRITE;
				const kernel k{kernel::fill, 0, part, value++};
				CHECK_OK(gpuvm_kernel_begin_range(a.data(), part, 0, first));
				CHECK_OK(gpuvm_kernel_begin_range(a.data(), part, 0, second));
				if (!late)
					a.run(0, k);
				CHECK_OK(gpuvm_kernel_end_range(a.data(), part, 0));
				touch(a, 0, false);
				touch(a, a.size() / 2, false);
				if (late)
					a.run(0, k);
				CHECK_OK(gpuvm_kernel_end_range(a.data(), part, 0));
				a.check("both have ended");
				a.write_on_host(0, a.size(), value++);
			}
}

// Nothing is promised about what the host does to an array of a writing kernel, but the kernel's results stand.
TEST(touched_between_two_begins, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	skip_under_tsan("fetches race with a kernel on purpose");
	fixture fx(t);
	array a(fx, t.v.kind, 70 * page);
	a.link();
	const size_t at = 35 * page, after = at + page;
	uint8_t value = 1;
	for (bool write : {false, true})
		for (int second : {GPUVM_READ_ONLY, GPUVM_READ_WRITE}) {
			a.add_everywhere(0, 1); // lets the begin find the array where it needs it
			CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
			a.run(0, {kernel::fill, 0, at, value++});
			touch(a, at, write);
			a.run(0, {kernel::fill, 0, at, value++});
			a.run(0, {kernel::fill, after, a.size() - after, value++});
			CHECK_OK(gpuvm_kernel_begin(a.data(), 0, second));
			a.check_buffer(0, "buffer after the second begin");
			a.run(0, {kernel::add, after, a.size() - after, 1});
			CHECK_OK(gpuvm_kernel_end(a.data(), 0));
			CHECK_OK(gpuvm_kernel_end(a.data(), 0));
			a.check("after both ends");
			a.write_on_host(0, a.size(), value++);
		}
}

TEST(third_kernel_in_a_chunk, .traps = trap::all, .devices = device::single, .kinds = kind::library | kind::slice)
{
	skip_under_tsan("fetches race with a kernel on purpose");
	fixture fx(t);
	array a(fx, t.v.kind, 8 * page);
	a.link();
	const size_t border = 4 * page + 100, rest = a.size() - border;
	uint8_t value = 1;
	for (bool write : {false, true})
		for (int mode : {GPUVM_READ_ONLY, GPUVM_READ_WRITE}) {
			CHECK_OK(gpuvm_kernel_begin_range(a.data(), border, 0, GPUVM_READ_WRITE));
			CHECK_OK(gpuvm_kernel_begin_range(a.data() + border, rest, 0, GPUVM_READ_WRITE));
			a.run(0, {kernel::fill, 0, border, value++});
			a.run(0, {kernel::fill, border, rest, value++});
			CHECK_OK(gpuvm_kernel_end_range(a.data(), border, 0));
			a.check(0, border, "the first has ended");
			touch(a, 2 * page, write);
			a.run(0, {kernel::fill, border, rest, value++});
			CHECK_OK(gpuvm_kernel_begin_range(a.data(), border, 0, mode));
			a.check_buffer(0, "buffer after the third begin");
			a.run(0, {kernel::add, border, rest, 1});
			CHECK_OK(gpuvm_kernel_end_range(a.data(), border, 0));
			CHECK_OK(gpuvm_kernel_end_range(a.data() + border, rest, 0));
			a.check("all have ended");
			a.write_on_host(0, a.size(), value++);
		}
}

// The edges of a small array are one unit each: the devices' results could not be told apart.
TEST(two_devices_write_one_edge, .traps = trap::best, .devices = device::several, .kinds = kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 64);
	a.link_everywhere();
	CHECK_OK(gpuvm_kernel_begin_range(a.data(), 8, 0, GPUVM_READ_WRITE));
	CHECK_ERR(gpuvm_kernel_begin_range(a.data() + 8, 8, 1, GPUVM_READ_WRITE), GPUVM_ESTATE);
	a.run(0, {kernel::fill, 0, 8, 5});
	CHECK_OK(gpuvm_kernel_end_range(a.data(), 8, 0));
	CHECK_OK(gpuvm_kernel_begin_range(a.data() + 8, 8, 1, GPUVM_READ_WRITE));
	a.run(1, {kernel::fill, 8, 8, 6});
	CHECK_OK(gpuvm_kernel_end_range(a.data() + 8, 8, 1));
	a.check("one after the other");
}

} // namespace
