// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/pool.h"

#include "core/range.h"
#include "os/mapping.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using namespace het;

namespace
{

struct piece {
	char *p;
	size_t n;
};

bool all_are(const char *p, size_t n, char value)
{
	return std::all_of(p, p + n, [=](char c) { return c == value; });
}

// Returns sizes beside the borders of the size classes, and beside those from which pieces are mapped by themselves.
std::vector<size_t> sizes()
{
	std::vector<size_t> all{1, 2, 31};
	for (size_t n = 32; n <= (256 << 10); n *= 2) {
		for (size_t near : {n - 1, n, n + 1})
			all.push_back(near);
	}
	return all;
}

TEST(pool, memory_is_aligned_zeroed_and_nobody_elses)
{
	memory_pool pool;
	std::vector<piece> pieces;
	for (int round = 0; round < 3; round++) {
		for (size_t n : sizes()) {
			auto *p = static_cast<char *>(pool.allocate(n));
			ASSERT_NE(p, nullptr);
			EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 32, 0u);
			EXPECT_TRUE(all_are(p, n, 0));
			memset(p, int(pieces.size() % 100 + 1), n);
			pieces.push_back({p, n});
		}
	}
	for (size_t i = 0; i < pieces.size(); i++)
		EXPECT_TRUE(all_are(pieces[i].p, pieces[i].n, char(i % 100 + 1)));
	for (piece m : pieces)
		pool.release(m.p, m.n);
}

TEST(pool, what_is_released_is_used_again_and_zeroed_again)
{
	memory_pool pool;
	for (size_t n : sizes()) {
		if (n > (32 << 10))
			continue;
		void *first = pool.allocate(n);
		memset(first, 0x55, n);
		pool.release(first, n);
		size_t footprint = pool.footprint();
		for (int i = 0; i < 3000; i++) {
			auto *p = static_cast<char *>(pool.allocate(n));
			ASSERT_TRUE(all_are(p, std::min<size_t>(n, 64), 0));
			memset(p, 0x55, std::min<size_t>(n, 64));
			pool.release(p, n);
		}
		EXPECT_EQ(pool.footprint(), footprint) << n;
	}
}

TEST(pool, footprint_is_what_the_system_gave)
{
	memory_pool pool;
	EXPECT_EQ(pool.footprint(), 0u);
	size_t page = page_size();
	void *large = pool.allocate(10 * page + 100000);
	size_t mapped = round_up(10 * page + 100000, page);
	EXPECT_EQ(pool.footprint(), mapped);
	void *small = pool.allocate(100);
	size_t block = pool.footprint() - mapped;
	EXPECT_GT(block, 0u);
	pool.release(large, 10 * page + 100000);
	EXPECT_EQ(pool.footprint(), block);
	pool.release(small, 100);
	EXPECT_EQ(pool.footprint(), block) << "blocks are kept";
	// A block serves as many pieces as fit.
	for (size_t used = 128; used < block; used += 128)
		pool.allocate(100);
	EXPECT_EQ(pool.footprint(), block);
	pool.allocate(100);
	pool.allocate(100);
	EXPECT_EQ(pool.footprint(), 2 * block);
}

TEST(pool, what_can_not_be_had_is_null)
{
	memory_pool pool;
	EXPECT_EQ(pool.allocate(SIZE_MAX), nullptr);
	EXPECT_EQ(pool.allocate(SIZE_MAX - page_size()), nullptr);
	EXPECT_EQ(pool.allocate(SIZE_MAX / 2), nullptr);
	EXPECT_EQ(pool.allocate(0), nullptr);
	EXPECT_EQ(pool.footprint(), 0u);
	pool.release(nullptr, 100);
	pool.release(nullptr, 0);
}

TEST(pool, arrays_are_counted_in_elements)
{
	auto *numbers = pool_array<uint64_t>(1000);
	ASSERT_NE(numbers, nullptr);
	EXPECT_EQ(std::count(numbers, numbers + 1000, 0u), 1000);
	pool().release(numbers, 1000 * sizeof(uint64_t));
}

// Pieces above the largest class are mappings. The system may give one thread what another has just unmapped, of which
// ThreadSanitizer knows nothing, as the pool's calls are no libc's.
#ifdef __SANITIZE_THREAD__
constexpr size_t largest = 32 << 10;
#else
constexpr size_t largest = 50000;
#endif

TEST(pool, threads_never_get_the_same_memory)
{
	constexpr unsigned count = 4;
	memory_pool pool;
	std::atomic<unsigned> wrong{0};
	std::vector<std::thread> threads;
	for (unsigned t = 0; t < count; t++)
		threads.emplace_back([&, t] {
			std::mt19937 random(t);
			std::vector<piece> mine;
			char mark = char('a' + t);
			for (int i = 0; i < 5000; i++) {
				if (mine.size() < 50 && random() % 8 < 5) {
					size_t n = 1 + random() % (random() % 16 ? 500 : largest);
					auto *p = static_cast<char *>(pool.allocate(n));
					wrong += !p || !all_are(p, n, 0);
					memset(p, mark, n);
					mine.push_back({p, n});
				} else if (!mine.empty()) {
					std::swap(mine[random() % mine.size()], mine.back());
					wrong += !all_are(mine.back().p, mine.back().n, mark);
					pool.release(mine.back().p, mine.back().n);
					mine.pop_back();
				}
			}
		});
	for (auto &t : threads)
		t.join();
	EXPECT_EQ(wrong.load(), 0u);
}

} // namespace
