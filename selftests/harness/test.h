// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A test program sees this of the harness.
//
// A test is a function, registered with the variants it runs in. Each case (test × variant) runs in a child process of
// its own: gpuvm_init() works once a process, and OpenCL does not survive a fork. A case passes by returning; it fails
// by a failed CHECK, a signal, a wrong exit status, a sanitizer's report or its time limit.
#pragma once

#include "random.h"
#include "variant.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SELFTEST_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define SELFTEST_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(SELFTEST_ASAN)
#define SELFTEST_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(SELFTEST_TSAN)
#define SELFTEST_TSAN 1
#endif

namespace selftest
{

#ifdef SELFTEST_ASAN
inline constexpr bool with_asan = true;
#else
inline constexpr bool with_asan = false;
#endif
#ifdef SELFTEST_TSAN
inline constexpr bool with_tsan = true;
#else
inline constexpr bool with_tsan = false;
#endif
inline constexpr bool with_sanitizer = with_asan || with_tsan;

struct context {
	variant v;
	std::string name; // that of the case, with its variant
	uint64_t seed;
	random_source random;
	bool full;       // HET_TEST_FULL=1: take the time that thoroughness needs
	double patience; // a factor on time limits: `seconds` has it already

	// Returns the number of rounds: fewer by default than in a full run, fewer still under a sanitizer.
	uint64_t rounds(uint64_t quick, uint64_t thorough) const
	{
		return full ? thorough : with_sanitizer ? (quick + 4) / 5 : quick;
	}
};

struct test {
	const char *name;
	void (*body)(context &);
	uint32_t traps = trap::none;
	uint32_t devices = device::none;
	uint32_t kinds = kind::none;
	unsigned seconds = 20; // the time limit; it is longer under sanitizers
	bool alone = false;    // lets nothing else run beside it
};

class registration
{
      public:
	explicit registration(const test &t);
};

// Defines a test: TEST(name, .traps = trap::all, .devices = device::single) { body using t, the context }
#define TEST(NAME, ...)                                                                    \
	static void NAME(::selftest::context &t);                                          \
	static const ::selftest::registration NAME##_registration(                         \
		::selftest::test{.name = #NAME, .body = NAME __VA_OPT__(, ) __VA_ARGS__}); \
	static void NAME([[maybe_unused]] ::selftest::context &t)

// Ends the process with a reason. It may be called in every process and thread of a case.
[[noreturn]] void fail_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
[[noreturn]] void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// Skips tests in which threads race on purpose, or are ordered by touches, which ThreadSanitizer does not know.
void skip_under_tsan(const char *why);
// Skips tests of what the library's interposers do, since a sanitizer's own come first.
void skip_under_sanitizers(const char *why);
// Notes a line that is shown if the case fails.
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Has @tell called once before a failed CHECK ends the process, to say what led to it.
void on_failure(void (*tell)(void *), void *arg);

// Runs the case again from main() in this process with the environment changed ("NAME=value"), as settings that
// are read when the program starts need it. Returns only in that second run.
void restart_with(const context &t, const std::vector<const char *> &environment);

#define FAIL(...) ::selftest::fail_at(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(COND)                                 \
	do {                                        \
		if (!(COND))                        \
			FAIL("%s is false", #COND); \
	} while (0)

// Compares integers only.
#define CHECK_EQ(GOT, WANT)                                                          \
	do {                                                                         \
		auto got_ = (long long)(GOT);                                        \
		auto want_ = (long long)(WANT);                                      \
		if (got_ != want_)                                                   \
			FAIL("%s is %lld, not %lld (%s)", #GOT, got_, want_, #WANT); \
	} while (0)

#define CHECK_LE(GOT, MOST)                                                                \
	do {                                                                               \
		auto got_ = (long long)(GOT);                                              \
		auto most_ = (long long)(MOST);                                            \
		if (got_ > most_)                                                          \
			FAIL("%s is %lld, more than %lld (%s)", #GOT, got_, most_, #MOST); \
	} while (0)

// Checks that a call of the library succeeds, or gives one certain error.
#define CHECK_OK(CALL)                                                         \
	do {                                                                   \
		int err_ = (CALL);                                             \
		if (err_)                                                      \
			FAIL("%s: %d, %s", #CALL, err_, gpuvm_strerror(err_)); \
	} while (0)

#define CHECK_ERR(CALL, CODE)                                                                  \
	do {                                                                                   \
		int err_ = (CALL);                                                             \
		if (err_ != (CODE))                                                            \
			FAIL("%s: %d (%s), not %s", #CALL, err_, gpuvm_strerror(err_), #CODE); \
	} while (0)

// Checks that a system call succeeds.
#define CHECK_SYS(CALL)                                         \
	do {                                                    \
		if ((CALL) == -1)                               \
			FAIL("%s: %s", #CALL, strerror(errno)); \
	} while (0)

// Compares every byte of [got, got + n); the message names the first that differs.
#define CHECK_BYTES(GOT, WANT, N, WHAT) ::selftest::check_bytes(__FILE__, __LINE__, (GOT), (WANT), (N), (WHAT))
void check_bytes(const char *file, int line, const void *got, const void *want, size_t n, const char *what);

} // namespace selftest
