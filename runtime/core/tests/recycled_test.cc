// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/recycled.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace het::rt
{

namespace
{

struct large final : recycled<large> {
	explicit large(unsigned seed, bool throws = false)
	{
		if (throws)
			throw std::runtime_error("no");
		for (unsigned &n : numbers)
			n = seed;
	}
	bool is(unsigned seed) const
	{
		for (unsigned n : numbers)
			if (n != seed)
				return false;
		return true;
	}

	unsigned numbers[300];
};

std::unique_ptr<large> make(unsigned seed)
{
	return std::unique_ptr<large>(new (std::nothrow) large(seed));
}

} // namespace

TEST(recycled, objects_that_live_have_their_own_memory)
{
	for (int round = 0; round < 3; round++) {
		std::vector<std::unique_ptr<large>> all;
		std::set<large *> places;
		for (unsigned i = 0; i < 40; i++) { // more than are kept
			all.push_back(make(i));
			places.insert(all.back().get());
		}
		EXPECT_EQ(places.size(), 40u);
		for (unsigned i = 0; i < 40; i++)
			EXPECT_TRUE(all[i]->is(i));
	}
}

TEST(recycled, what_went_is_used_again)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
	GTEST_SKIP() << "the address sanitizer is to see each use of what is gone";
#endif
	std::unique_ptr<large> one = make(1);
	const auto before = reinterpret_cast<uintptr_t>(one.get());
	one.reset();
	EXPECT_EQ(reinterpret_cast<uintptr_t>(make(2).get()), before);
}

TEST(recycled, a_constructor_may_throw)
{
	for (int i = 0; i < 20; i++)
		EXPECT_THROW(new (std::nothrow) large(1, true), std::runtime_error);
	EXPECT_TRUE(make(3)->is(3));
}

TEST(recycled, threads_pass_them_on)
{
	std::vector<std::thread> threads;
	for (unsigned t = 0; t < 4; t++)
		threads.emplace_back([t] {
			for (unsigned i = 0; i < 500; i++) {
				const auto one = make(t * 1000 + i), other = make(t * 1000 + i + 500);
				ASSERT_TRUE(one->is(t * 1000 + i));
				ASSERT_TRUE(other->is(t * 1000 + i + 500));
			}
		});
	for (std::thread &t : threads)
		t.join();
}

} // namespace het::rt
