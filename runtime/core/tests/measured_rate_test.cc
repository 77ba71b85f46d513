// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/measured_rate.h"

#include <gtest/gtest.h>

using namespace het;

namespace
{

constexpr double guess = 8e9;

cache::device_profile of(const char *name, double gigabytes_a_second)
{
	cache::device_profile p;
	p.all.push_back({name, gigabytes_a_second, gigabytes_a_second, gigabytes_a_second, 0.95});
	return p;
}

} // namespace

TEST(measured_rate, is_the_profile_s_if_that_says_one)
{
	EXPECT_EQ(rt::measured_rate(cache::device_profile(), guess), guess);
	EXPECT_EQ(rt::measured_rate(of("l2.size", 5), guess), guess);
	EXPECT_EQ(rt::measured_rate(of("transfer.to device", 5), guess), 5e9);
	EXPECT_EQ(rt::measured_rate(of("transfer.to host", 5), guess), guess);
}

TEST(measured_rate, of_pinned_memory_comes_first)
{
	cache::device_profile p = of("transfer.to device", 5);
	p.all.push_back({"transfer.pinned to device", 50, 50, 50, 0.95});
	EXPECT_EQ(rt::measured_rate(p, guess), 50e9);
}

TEST(measured_rate, that_cannot_be_true_is_none)
{
	for (double wrong : {0.0, -3.0, 1e-9, 1e9})
		EXPECT_EQ(rt::measured_rate(of("transfer.to device", wrong), guess), guess) << wrong;
}

TEST(measured_rate, of_kernels_takes_both)
{
	cache::device_profile p = of("memory.read.sequential", 5);
	EXPECT_FALSE(rt::measured_kernel_rates(p).known());
	p.all.push_back({"arithmetic.float fma", 50, 50, 50, 0.95});
	EXPECT_TRUE(rt::measured_kernel_rates(p).known());
	EXPECT_EQ(rt::measured_kernel_rates(p).memory, 5e9);
	EXPECT_EQ(rt::measured_kernel_rates(p).arithmetic, 50e9);
	EXPECT_EQ(rt::measured_kernel_rates(p).launch, 0);
	p.all.push_back({"launch.wait", 9e9, 9e9, 9e9, 0.95}); // nine seconds can't be
	EXPECT_EQ(rt::measured_kernel_rates(p).launch, 0);
	p.all.back().value = 12e3;
	EXPECT_NEAR(rt::measured_kernel_rates(p).launch, 12e-6, 1e-12);
	p.all.push_back({"memory.both.sequential", 4, 4, 4, 0.95});
	EXPECT_EQ(rt::measured_kernel_rates(p).memory, 4e9);
}
