// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests of the OpenCL platform know nothing of libhet: they are programs like others, which find it through the loader.
#pragma once

#include <CL/cl.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace cltest
{

// Says what was wrong, and ends the case.
[[noreturn]] void fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define FAIL(...) cltest::fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(X)                        \
	do {                            \
		if (!(X))               \
			FAIL("%s", #X); \
	} while (0)
#define CHECK_EQ(A, B)                                                                      \
	do {                                                                                \
		const auto a_ = (A);                                                        \
		const auto b_ = (B);                                                        \
		if (!(a_ == b_))                                                            \
			FAIL("%s is %lld, not %lld", #A, (long long)(a_), (long long)(b_)); \
	} while (0)
#define OK(CALL) CHECK_EQ(cl_int(CALL), cl_int(CL_SUCCESS))

// A case gets a device, with a context and an in-order queue that measures.
struct fixture {
	explicit fixture(cl_device_id d);
	~fixture();
	fixture(const fixture &) = delete;
	fixture &operator=(const fixture &) = delete;

	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	std::mt19937_64 random;

	cl_mem buffer(size_t n, cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr) const;
	cl_program build(const char *source, const char *options = "") const;
	cl_kernel kernel(const char *source, const char *name) const;
	cl_command_queue unordered() const;
	size_t below(size_t n) { return size_t(random() % n); }
};

template <class T> void set(cl_kernel k, cl_uint i, const T &value)
{
	OK(clSetKernelArg(k, i, sizeof(value), &value));
}

// Says what had another code than it should have.
bool has_code(const std::string &what, cl_int got, cl_int want);

// Answers of clGet...Info().
template <class T, class F, class O> T info(F get, O object, cl_uint what)
{
	T value = {};
	size_t n = 0;
	OK(get(object, what, sizeof(value), &value, &n));
	CHECK_EQ(n, sizeof(value));
	return value;
}
template <class F, class O> std::string text(F get, O object, cl_uint what)
{
	size_t n = 0;
	OK(get(object, what, 0, nullptr, &n));
	std::string s(n, 1);
	OK(get(object, what, n, s.data(), nullptr));
	CHECK(n && !s[n - 1]);
	s.resize(n - 1);
	return s;
}

// Binaries and analyses are made by a tool in PATH, which needs libraries that not every machine has.
bool makes_binaries();

using case_function = void(fixture &);

struct test_case {
	test_case(const char *n, case_function *f, void (*p)() = nullptr);
	const char *name;
	case_function *run;
	void (*prepare)(); // is called before libhet starts, unless it is null
	test_case *next;
};

#define TEST(NAME, ...)                                                                   \
	static void NAME(cltest::fixture &fx);                                            \
	static cltest::test_case register_##NAME(#NAME, NAME __VA_OPT__(, ) __VA_ARGS__); \
	static void NAME([[maybe_unused]] cltest::fixture &fx)

} // namespace cltest
