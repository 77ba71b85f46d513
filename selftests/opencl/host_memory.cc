// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory of the program's own may go, and be used again, before the buffer that is made of it.
#include "test.h"

#include <algorithm>
#include <sys/mman.h>

using namespace cltest;

namespace
{

constexpr char source[] = "kernel void fill(global int *a) { a[get_global_id(0)] = get_global_id(0) + 7; }";
constexpr size_t n = 1 << 18, nbytes = n * sizeof(int);

void run_on(fixture &fx, cl_mem m)
{
	cl_kernel k = fx.kernel(source, "fill");
	set(k, 0, m);
	OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr));
	OK(clFinish(fx.queue));
	OK(clReleaseKernel(k));
}

// Whoever has got the memory finds in it what he has put there, and a driver can write to it.
void check_use(fixture &fx, int *p, cl_mem old)
{
	cl_mem m = fx.buffer(nbytes);
	std::fill(p, p + n, -1);
	OK(clReleaseMemObject(old));
	CHECK(std::all_of(p, p + n, [](int i) { return i == -1; }));
	run_on(fx, m);
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, nbytes, p, 0, nullptr, nullptr));
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(p[i], int(i) + 7);
	OK(clReleaseMemObject(m));
}

} // namespace

TEST(host_memory_is_freed_first)
{
	for (int i = 0; i < 4; i++) {
		void *p = malloc(nbytes);
		cl_mem m = fx.buffer(nbytes, CL_MEM_USE_HOST_PTR, p);
		run_on(fx, m);
		free(p);
		auto *again = static_cast<int *>(malloc(nbytes));
		check_use(fx, again, m);
		free(again);
	}
}

// This free() is that of the C++ library, which was bound before libhet came.
TEST(host_memory_is_deleted_first)
{
	for (int i = 0; i < 4; i++) {
		std::vector<int> v(n);
		cl_mem m = fx.buffer(nbytes, CL_MEM_USE_HOST_PTR, v.data());
		run_on(fx, m);
		std::vector<int>().swap(v);
		std::vector<int> again(n);
		check_use(fx, again.data(), m);
	}
}

// AddressSanitizer's realloc() and munmap() are its own.
#ifndef __SANITIZE_ADDRESS__
TEST(host_memory_moves_first)
{
	void *p = malloc(nbytes);
	cl_mem m = fx.buffer(nbytes, CL_MEM_USE_HOST_PTR, p);
	run_on(fx, m);
	auto *moved = static_cast<int *>(realloc(p, 8 * nbytes));
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(moved[i], int(i) + 7);
	check_use(fx, moved, m);
	free(moved);
}

TEST(host_memory_is_unmapped_first)
{
	auto map = [](void *at) {
		void *p = mmap(at, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(p != MAP_FAILED);
		return p;
	};
	for (int i = 0; i < 4; i++) {
		void *p = map(nullptr);
		cl_mem m = fx.buffer(nbytes, CL_MEM_USE_HOST_PTR, p);
		run_on(fx, m);
		CHECK_EQ(munmap(p, nbytes), 0);
		auto *again = static_cast<int *>(map(p));
		check_use(fx, again, m);
		CHECK_EQ(munmap(again, nbytes), 0);
	}
}
#endif
