// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The host writes to arrays that a device reads, and arrays share pieces of one gpuvm_malloc() block. A trap that lets
// writes go on by itself, and by larger pieces than chunks, could lose some of them.
#include "harness/fixture.h"

#include <array>
#include <atomic>
#include <deque>
#include <gpuvm.h>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

// One thread counts a word of an array up, and tells how far it has come.
struct counter {
	uint64_t *word;
	std::atomic<uint64_t> told{0};
};

void count(counter &c, const std::atomic<bool> &stop)
{
	for (uint64_t n = 1; !stop; n++) {
		__atomic_store_n(c.word, n, __ATOMIC_RELAXED);
		c.told.store(n, std::memory_order_release);
		if (n % 64 == 0)
			std::this_thread::yield();
	}
}

uint64_t word_in_buffer(fixture &fx, selftest::array &a, const counter &c)
{
	uint64_t word;
	size_t at = size_t(reinterpret_cast<uint8_t *>(c.word) - a.data());
	fx.dev().read(0, a.buffer(0), at, reinterpret_cast<uint8_t *>(&word), sizeof(word));
	return word;
}
} // namespace

// The kernel must see what was written, and told, before its begin.
TEST(writers_beside_readers, .traps = trap::all, .devices = device::host,
     .kinds = kind::map | kind::library | kind::mmapped)
{
	skip_under_tsan("the device reads while the host writes");
	fixture fx(t);
	selftest::array a(fx, t.v.kind, 40 * page);
	memset(a.data(), 0, a.size());
	a.link();
	std::array<counter, 3> counters;
	std::atomic<bool> stop{false};
	std::vector<std::thread> threads;
	for (size_t i = 0; i < counters.size(); i++) {
		counters[i].word = reinterpret_cast<uint64_t *>(a.data()) + (i * 13 * page + 64) / sizeof(uint64_t);
		threads.emplace_back(count, std::ref(counters[i]), std::cref(stop));
	}
	for (uint64_t round = 0; round < t.rounds(200, 5000); round++) {
		std::array<uint64_t, 3> told;
		for (size_t i = 0; i < counters.size(); i++)
			told[i] = counters[i].told.load(std::memory_order_acquire);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		for (size_t i = 0; i < counters.size(); i++)
			CHECK_LE(told[i], word_in_buffer(fx, a, counters[i]));
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
	stop = true;
	for (auto &th : threads)
		th.join();
	memcpy(a.model(), a.data(), a.size());
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	a.check_buffer(0, "after the last write");
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
}

// The arrays have five pages each, so that most pieces of the block of 64 KiB belong to several.
TEST(neighbours_in_a_block, .traps = trap::all, .devices = device::single | device::host2)
{
	fixture fx(t);
	constexpr size_t size = 5 * page, count = 13;
	auto *block = static_cast<uint8_t *>(gpuvm_malloc(size * count, 0, GPUVM_NONE));
	CHECK(block);
	{
		std::deque<selftest::array> arrays;
		for (uint32_t i = 0; i < count; i++)
			arrays.emplace_back(fx, block + i * size, size, i).link_everywhere();
		for (uint64_t round = 0; round < t.rounds(15, 500); round++) {
			for (auto &a : arrays)
				a.add_everywhere(unsigned(round % fx.devices()), 1);
			// All write at once.
			std::vector<std::thread> threads;
			for (uint32_t i = 0; i < count; i++)
				threads.emplace_back([&, i] {
					arrays[i].check("fetched");
					arrays[i].write_on_host(page + 5, 2 * page, uint32_t(round) * count + i);
				});
			for (auto &th : threads)
				th.join();
			for (auto &a : arrays)
				a.kernel_on(0, GPUVM_READ_ONLY, {kernel::add, 0, 0, 0});
			arrays[round % count].write_on_host(0, 10, uint32_t(round));
			for (auto &a : arrays) {
				CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
				a.check_buffer(0, "read again");
				CHECK_OK(gpuvm_kernel_end(a.data(), 0));
			}
		}
	}
	CHECK_OK(gpuvm_free(block));
}
