// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The extension cl_het_host_pointer: kernels take memory of the program's own by its address.
#include "test.h"

#include <CL/cl_ext_het.h>
#include <algorithm>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

using namespace cltest;

namespace
{

constexpr char source[] = "kernel void add(global int *a, global const int *b, int n) {\n"
			  "  size_t i = get_global_id(0); a[i] += b[i] + n; }\n"
			  "kernel void values(int a, local int *l, global int *p) { if (!p) return; p[0] = a; }\n";

int in_data[3000];

template <class F> F extension(fixture &fx, const char *name)
{
	auto *f = reinterpret_cast<F>(clGetExtensionFunctionAddressForPlatform(fx.platform, name));
	CHECK(f);
	return f;
}

struct adder {
	explicit adder(fixture &f)
	    : fx(f), kernel(f.kernel(source, "add")),
	      set_pointer(extension<clSetKernelArgHostPointerHET_fn>(f, "clSetKernelArgHostPointerHET"))
	{
	}
	~adder() { OK(clReleaseKernel(kernel)); }
	adder(const adder &) = delete;
	adder &operator=(const adder &) = delete;

	void launch(int *a, const int *b, size_t n, int plus)
	{
		OK(set_pointer(kernel, 0, a, n * sizeof(int)));
		OK(set_pointer(kernel, 1, const_cast<int *>(b), n * sizeof(int)));
		set(kernel, 2, plus);
		OK(clEnqueueNDRangeKernel(fx.queue, kernel, 1, nullptr, &n, nullptr, 0, nullptr, nullptr));
	}
	// Two launches are in order, and the host sees what they have made of its own memory.
	void check(int *a, size_t n)
	{
		std::vector<int> b(n), model(n);
		for (size_t i = 0; i < n; i++) {
			a[i] = int(fx.below(1000));
			b[i] = int(fx.below(1000));
			model[i] = a[i] + 2 * b[i] + 12;
		}
		launch(a, b.data(), n, 5);
		launch(a, b.data(), n, 7);
		OK(clFinish(fx.queue));
		CHECK(std::equal(a, a + n, model.begin()));
	}

	fixture &fx;
	cl_kernel kernel;
	clSetKernelArgHostPointerHET_fn set_pointer;
};

} // namespace

TEST(host_pointers)
{
	adder add(fx);
	int on_stack[2000];
	std::vector<int> large(1 << 18);
	auto *mapped =
		static_cast<int *>(mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	CHECK(mapped != MAP_FAILED);
	for (int round = 0; round < 2; round++) {
		add.check(large.data(), large.size());
		add.check(large.data() + 17, large.size() - 100); // from an address in the middle on
		add.check(on_stack, 2000);
		add.check(in_data + 1, 2999);
		add.check(mapped, (1 << 20) / sizeof(int));
	}
	CHECK_EQ(munmap(mapped, 1 << 20), 0);
}

// What lies beside is the program's, also while kernels run.
TEST(host_pointers_leave_the_rest)
{
	adder add(fx);
	std::vector<int> a(1 << 18, 3), b(1 << 18, 4);
	const size_t from = 1000, n = 200000;
	add.launch(a.data() + from, b.data() + from, n, 1);
	a[from - 1] = a[from + n] = 77;
	OK(clFinish(fx.queue));
	for (size_t i = 0; i < a.size(); i++)
		CHECK_EQ(a[i], i == from - 1 || i == from + n ? 77 : i >= from && i < from + n ? 8 : 3);
}

// It may be freed as ever, and what comes to lie there is the program's alone. In another way it may go when it has
// been forgotten.
TEST(host_pointers_are_freed)
{
	adder add(fx);
	auto *forget = extension<clForgetHostPointerHET_fn>(fx, "clForgetHostPointerHET");
	constexpr size_t n = 1 << 17;
	std::vector<int> b(n, 1);
	for (int i = 0; i < 4; i++) {
		auto *a = static_cast<int *>(calloc(n, sizeof(int)));
		add.launch(a, b.data(), n, 0);
		OK(clFinish(fx.queue));
		CHECK_EQ(a[5], 1);
		if (i % 2) {
			add.launch(a, b.data(), n, 0);
			OK(clFinish(fx.queue));
			OK(forget(a, n * sizeof(int)));
			CHECK_EQ(a[n - 1], 2);
		}
		free(a);
	}
	CHECK_EQ(forget(nullptr, 1), CL_INVALID_VALUE);
	CHECK_EQ(forget(b.data(), 0), CL_INVALID_VALUE);
}

TEST(host_pointers_that_are_wrong)
{
	adder add(fx);
	int word = 0;
	CHECK(text(clGetDeviceInfo, fx.device, CL_DEVICE_EXTENSIONS).find("cl_het_host_pointer") != std::string::npos);
	CHECK_EQ(add.set_pointer(nullptr, 0, &word, 4), CL_INVALID_KERNEL);
	CHECK_EQ(add.set_pointer(add.kernel, 3, &word, 4), CL_INVALID_ARG_INDEX);
	CHECK_EQ(add.set_pointer(add.kernel, 0, &word, 0), CL_INVALID_ARG_SIZE);
	CHECK_EQ(add.set_pointer(add.kernel, 0, nullptr, 4), CL_INVALID_ARG_VALUE);
	CHECK_EQ(add.set_pointer(add.kernel, 0, &word, SIZE_MAX - 1), CL_INVALID_ARG_VALUE);
	CHECK_EQ(add.set_pointer(add.kernel, 2, &word, 4), CL_INVALID_ARG_VALUE); // takes a value
	cl_kernel values = fx.kernel(source, "values");
	CHECK_EQ(add.set_pointer(values, 1, &word, 4), CL_INVALID_ARG_VALUE); // takes local memory
	OK(clReleaseKernel(values));
	// Nothing is ever mapped this low, whereas another thread may map something where memory was just unmapped.
	void *nowhere = reinterpret_cast<void *>(sysconf(_SC_PAGESIZE));
	const size_t n = 100;
	OK(add.set_pointer(add.kernel, 0, nowhere, n * sizeof(int)));
	std::vector<int> b(n);
	OK(add.set_pointer(add.kernel, 1, b.data(), n * sizeof(int)));
	set(add.kernel, 2, 1);
	cl_event e = nullptr;
	const cl_int err = clEnqueueNDRangeKernel(fx.queue, add.kernel, 1, nullptr, &n, nullptr, 0, nullptr, &e);
	CHECK(err < 0 || clWaitForEvents(1, &e) < 0);
	if (!err)
		OK(clReleaseEvent(e));
}
