// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/simulation.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

using namespace noc;

// A sanitizer has these functions itself, and wants each delete to fit its new.
#ifdef __has_feature
#define NOC_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NOC_SANITIZED 1
#else
#define NOC_SANITIZED 0
#endif

#if !NOC_SANITIZED

namespace
{

std::atomic<uint64_t> allocations;

void *counted(size_t bytes, size_t alignment)
{
	allocations++;
	const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
	if (void *const at = std::aligned_alloc(alignment, rounded ? rounded : alignment))
		return at;
	throw std::bad_alloc();
}

} // namespace

// These stand for the library's in all tests of this program.
void *operator new(size_t bytes)
{
	return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

void *operator new(size_t bytes, std::align_val_t alignment)
{
	return counted(bytes, size_t(alignment));
}

void *operator new(size_t bytes, const std::nothrow_t &) noexcept
try {
	return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
} catch (const std::bad_alloc &) {
	return nullptr;
}

void operator delete(void *at) noexcept
{
	std::free(at);
}

void operator delete(void *at, size_t) noexcept
{
	std::free(at);
}

void operator delete(void *at, std::align_val_t) noexcept
{
	std::free(at);
}

void operator delete(void *at, size_t, std::align_val_t) noexcept
{
	std::free(at);
}

TEST(allocation, a_cycle_allocates_nothing)
{
	for (const char *policy : {"dor", "localbuf", "destdetect", "dll", "random", "adaptive"}) {
		configuration c;
		c.network = "two-layers";
		c.how = routing::yx_z;
		c.policy = policy;
		c.traffic.rate = 0.5;
		c.traffic.length = 3;
		c.traffic.memory_share = 0.1;
		machine m(c);
		const uint64_t before = allocations;
		EXPECT_GT(before, 0u);
		for (unsigned cycle = 0; cycle < 300; cycle++)
			m.step();
		EXPECT_EQ(allocations, before) << policy;
		EXPECT_GT(m.net().flits_received(), 1000u);
	}
}

#else

TEST(allocation, a_cycle_allocates_nothing)
{
	GTEST_SKIP() << "the sanitizer has the functions that count";
}

#endif
