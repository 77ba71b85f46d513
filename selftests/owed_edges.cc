// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device fails when a kernel has ended and its edges are to be read. Nothing of them may be lost: whoever asks next
// gets them, or is told that they can't be had.
#include "harness/fixture.h"
#include "harness/process.h"

#include <cstdlib>
#include <sys/mman.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::slice | kind::heap;

// A kernel on the array has ended on device 0, but its edges are still there.
struct owing {
	explicit owing(const context &t) : fx(t), a(fx, t.v.kind, 20 * page + 123)
	{
		a.link_everywhere();
		fail_end(GPUVM_READ_WRITE, {kernel::add, 0, a.size(), 1});
	}
	void fail_end(int access, const kernel &k)
	{
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, access));
		a.run(0, k);
		reads(false);
		CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_EDEVALLOC);
	}
	void reads(bool work) { fx.dev().faults()->fail_reads = !work; }

	fixture fx;
	array a;
};
} // namespace

TEST(end_is_repeated, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	owing o(t);
	for (int i = 0; i < 3; i++)
		CHECK_ERR(gpuvm_kernel_end(o.a.data(), 0), GPUVM_EDEVALLOC);
	o.reads(true);
	o.a.write_on_host(5 * page, page, 3); // the body is the host's as after any end
	CHECK_OK(gpuvm_kernel_end(o.a.data(), 0));
	o.a.check("after the end that worked");
	CHECK_ERR(gpuvm_kernel_end(o.a.data(), 0), GPUVM_ESTATE);
	o.a.write_on_host(0, o.a.size(), 4);
	o.a.add_everywhere(0, 1);
	o.a.check("after another kernel");
}

TEST(unlink_tries_again, .traps = trap::all, .devices = device::hostcb | device::hostcb2, .kinds = kinds)
{
	owing o(t);
	CHECK_ERR(gpuvm_unlink(o.a.data(), 0), GPUVM_EDEVALLOC);
	CHECK_ERR(gpuvm_unlink(o.a.data(), unsigned(GPUVM_ALL_DEVICES)), GPUVM_EDEVALLOC);
	CHECK(gpuvm_xlate(o.a.data(), 0) == o.a.buffer(0));
	o.reads(true);
	CHECK_OK(gpuvm_unlink(o.a.data(), 0));
	o.a.check("unlinked");
}

TEST(begin_reads_them_first, .traps = trap::all, .devices = device::hostcb | device::hostcb2, .kinds = kinds)
{
	owing o(t);
	unsigned last = o.fx.devices() - 1;
	for (int access : {GPUVM_READ_ONLY, GPUVM_READ_WRITE})
		CHECK_ERR(gpuvm_kernel_begin(o.a.data(), last, access), GPUVM_EDEVALLOC);
	CHECK_ERR(gpuvm_kernel_begin_range(o.a.data(), page, last, GPUVM_WRITE_ONLY), GPUVM_EDEVALLOC);
	o.reads(true);
	CHECK_OK(gpuvm_kernel_begin(o.a.data(), last, GPUVM_READ_ONLY));
	o.a.check_buffer(last);
	CHECK_OK(gpuvm_kernel_end(o.a.data(), last));
	o.a.check("read by a kernel");
	o.fail_end(GPUVM_READ_WRITE, {kernel::mix, 0, o.a.size(), 5});
	o.reads(true);
	o.a.add_everywhere(last, 1);
	o.a.check("written by a kernel");
}

// Nobody wants bytes that are overwritten, so the end succeeds.
TEST(not_of_what_is_overwritten, .traps = trap::all, .devices = device::hostcb | device::hostcb2, .kinds = kinds)
{
	owing o(t);
	unsigned last = o.fx.devices() - 1;
	CHECK_OK(gpuvm_kernel_begin(o.a.data(), last, GPUVM_WRITE_ONLY));
	o.a.run(last, {kernel::fill, 0, o.a.size(), 9});
	o.reads(true);
	CHECK_OK(gpuvm_kernel_end(o.a.data(), last));
	CHECK_ERR(gpuvm_kernel_end(o.a.data(), 0), GPUVM_ESTATE);
	o.a.check();
}

TEST(host_begin_reads_them, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	owing o(t);
	CHECK_ERR(gpuvm_host_begin(o.a.data(), o.a.size(), GPUVM_READ_ONLY), GPUVM_EDEVALLOC);
	o.reads(true);
	CHECK_OK(gpuvm_host_begin(o.a.data(), o.a.size(), GPUVM_READ_ONLY));
	o.a.check();
	CHECK_ERR(gpuvm_kernel_end(o.a.data(), 0), GPUVM_ESTATE);
}

TEST(fork_reads_them, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	owing o(t);
	o.reads(true);
	expect_success(run_process(20, [&] { o.a.check("in the child"); }), "child that looks at the array");
	o.a.check("in the parent");
}

// A loss is reported, also where no call can return it.
TEST(loss_is_reported, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	owing o(t);
	o.reads(true);
	o.a.check(2 * page, 16 * page, "the body comes home");
	o.reads(false);
	expect_success(run_process(20, [&] { o.a.check(2 * page, 16 * page, "in the child"); }), "child");
	auto reports = [] { return count_of(GPUVM_STAT_FAILURES); };
	CHECK_EQ(reports(), 1);
	// free() and realloc() would do it like this, but need the block's own address.
	uint8_t *pages = o.a.data() - size_t(o.a.data()) % page + 4 * page;
	CHECK_SYS(munmap(pages, page));
	CHECK_LE(3, reports()); // tell that it was linked, and that bytes are lost
	const char *text = nullptr;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_FAILURE, &text));
	CHECK(strstr(text, "lost"));
	CHECK_SYS(mmap(pages, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
				  MAP_FAILED
			  ? -1
			  : 0);
	o.reads(true);
	CHECK(gpuvm_xlate(o.a.data(), 0) == nullptr);
}

// Two kernels run at once: the end that is repeated must not be taken for the other's.
TEST(beside_another_kernel, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page + 123);
	a.link();
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	a.run(0, {kernel::add, 0, a.size(), 1});
	fx.dev().faults()->fail_reads = true;
	CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_EDEVALLOC);
	fx.dev().faults()->fail_reads = false;
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.run(0, {kernel::add, 0, a.size(), 2});
	CHECK_ERR(gpuvm_unlink(a.data(), 0), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check("after both");
	CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_ESTATE);
}

// Each part has its own bytes: what the host writes between them is not overwritten.
TEST(parts_of_an_edge, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page + 123);
	a.link();
	// The parts lie in the tail, or, where that is too short, in the head: malloc'ed arrays begin anywhere.
	const bool in_tail = (reinterpret_cast<uintptr_t>(a.data()) + a.size()) % page >= 50;
	const size_t first = in_tail ? a.size() - 50 : 0, second = first + 40;
	for (size_t at : {first, second}) {
		CHECK_OK(gpuvm_kernel_begin_range(a.data() + at, 10, 0, GPUVM_READ_WRITE));
		a.run(0, {kernel::add, at, 10, 7});
		fx.dev().faults()->fail_reads = true;
	}
	for (size_t at : {second, first})
		CHECK_ERR(gpuvm_kernel_end_range(a.data() + at, 10, 0), GPUVM_EDEVALLOC);
	a.write_on_host(first + 10, 30, 8);
	fx.dev().faults()->fail_reads = false;
	CHECK_OK(gpuvm_kernel_end_range(a.data() + first, 10, 0));
	CHECK_OK(gpuvm_unlink(a.data(), 0));
	a.check();
}

TEST(array_that_is_copied_whole, .traps = trap::all, .devices = device::hostcb)
{
	fixture fx(t);
	const size_t n = 9 * page;
	void *shared = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	array a(fx, static_cast<uint8_t *>(shared), n);
	a.link(0, GPUVM_ON_HOST | GPUVM_COPY);
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	a.run(0, {kernel::add, 0, a.size(), 1});
	fx.dev().faults()->fail_reads = true;
	CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_EDEVALLOC);
	CHECK_ERR(gpuvm_unlink(a.data(), 0), GPUVM_EDEVALLOC);
	fx.dev().faults()->fail_reads = false;
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check();
}
