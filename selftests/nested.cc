// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that overlap on one device: a begin must not copy old bytes over what a kernel there has written already.
#include "harness/fixture.h"

using namespace selftest;

namespace
{

constexpr size_t page = 4096;
constexpr unsigned kinds = kind::mmapped | kind::library | kind::slice;

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
			// host writes travel again
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

} // namespace
