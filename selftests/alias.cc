// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests gpuvm_alias(), the second address of the same bytes, and gpuvm_host_begin(), which brackets accesses through
// it.
#include "harness/fixture.h"
#include "harness/pattern.h"

#include <cstdlib>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::map | kind::library | kind::memalign_page | kind::bss | kind::slice;

// This has the whole pages of an array.
struct body {
	explicit body(array &a)
	{
		auto base = reinterpret_cast<uintptr_t>(a.data());
		from = -base % page;
		to = ((base + a.size()) & ~(page - 1)) - base;
	}
	size_t from, to;
};
} // namespace

TEST(same_bytes, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 40 * page);
	CHECK(gpuvm_alias(a.data() + 2 * page) == nullptr); // the array is not linked yet
	a.link();
	body b(a);
	for (size_t at = b.from; at < b.to; at += 1000) {
		auto second = static_cast<uint8_t *>(gpuvm_alias(a.data() + at));
		CHECK(second && second != a.data() + at);
		CHECK_EQ(*second, a.model()[at]);
		// Both addresses show what the other writes while host data is valid.
		*second = uint8_t(at);
		CHECK_EQ(a.data()[at], uint8_t(at));
		a.data()[at] = 0x42;
		CHECK_EQ(*second, 0x42);
		a.model()[at] = 0x42;
	}
	a.check();
}

TEST(edges_have_none, .traps = trap::all, .devices = device::host, .kinds = kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 10 * page);
	a.link();
	body b(a);
	CHECK(b.from > 0 && b.to < a.size());
	CHECK(gpuvm_alias(a.data()) == nullptr);
	CHECK(gpuvm_alias(a.data() + b.from - 1) == nullptr);
	CHECK(gpuvm_alias(a.data() + b.from) != nullptr);
	CHECK(gpuvm_alias(a.data() + b.to - 1) != nullptr);
	CHECK(gpuvm_alias(a.data() + b.to) == nullptr);
	CHECK(gpuvm_alias(a.data() + a.size()) == nullptr);
	CHECK(gpuvm_alias(nullptr) == nullptr);
}

TEST(access_through_the_alias, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 300 * page);
	a.link();
	body b(a);
	auto second = static_cast<uint8_t *>(gpuvm_alias(a.data() + b.from)) - b.from;
	for (int round = 0; round < 3; round++) {
		a.add_everywhere(0, 1);
		// This bracket reads.
		CHECK_OK(gpuvm_host_begin(a.data(), a.size(), GPUVM_READ_ONLY));
		CHECK_BYTES(second + b.from, a.model() + b.from, b.to - b.from, "alias after host_begin");
		// This bracket writes: the host becomes the only owner, so the next kernel gets its bytes.
		CHECK_OK(gpuvm_host_begin(a.data() + 20 * page, 5000, GPUVM_READ_WRITE));
		fill_pattern(second, 20 * page, 5000, round);
		fill_pattern(a.model(), 20 * page, 5000, round);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		a.check_buffer(0, "buffer after writes through the alias");
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		a.check();
	}
}

// Reading or writing the alias of revoked pages is no touch, and never waits.
TEST(never_trapped, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	skip_under_tsan("it does not know that a touch comes before the fetch");
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	body b(a);
	a.add_everywhere(0, 1);
	auto before = count_of(GPUVM_STAT_TOUCHES);
	volatile uint8_t *second = static_cast<uint8_t *>(gpuvm_alias(a.data() + b.from)) - b.from;
	uint8_t sum = 0;
	for (size_t at = b.from; at < b.to; at += 100)
		sum += second[at];
	for (size_t at = b.from; at < b.to; at += page)
		second[at] = sum;
	CHECK_EQ(count_of(GPUVM_STAT_TOUCHES), before);
	a.check("the array, whose owner is the device");
}

TEST(stays_the_same, .traps = trap::all, .devices = device::host2, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link(0);
	body b(a);
	void *first = gpuvm_alias(a.data() + b.from);
	a.link(1);
	for (int round = 0; round < 6; round++) {
		a.add_everywhere(round % 2, 1);
		if (round % 3 == 0)
			a.check();
		CHECK(gpuvm_alias(a.data() + b.from) == first);
	}
	CHECK_OK(gpuvm_unlink(a.data(), 0));
	CHECK(gpuvm_alias(a.data() + b.from) == first);
	a.check();
	CHECK_OK(gpuvm_host_begin(a.data(), a.size(), GPUVM_READ_WRITE));
	CHECK_BYTES(first, a.model() + b.from, b.to - b.from, "alias");
	CHECK_OK(gpuvm_unlink(a.data(), 1));
	CHECK(gpuvm_alias(a.data() + b.from) == nullptr);
}

TEST(host_begin_write_only, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	a.add_everywhere(0, 1);
	// A part is overwritten, which leaves the rest of its chunks as it is.
	CHECK_OK(gpuvm_host_begin(a.data() + 5 * page + 7, 20 * page, GPUVM_WRITE_ONLY));
	a.write_on_host(5 * page + 7, 20 * page, 9);
	a.check("after host_begin for writing alone");
	a.add_everywhere(0, 1);
	CHECK_OK(gpuvm_host_begin(a.data(), a.size(), GPUVM_WRITE_ONLY));
	a.write_on_host(0, a.size(), 10);
	a.check();
	a.add_everywhere(0, 1);
	a.check();
}

// A lock that the driver needs must not be held in a touch, so host_begin() comes before the lock.
TEST(host_begin_on_many_threads, .traps = trap::all, .devices = device::single, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 512 * page);
	a.link();
	for (uint64_t round = 0; round < t.rounds(10, 200); round++) {
		a.add_everywhere(0, 1);
		std::vector<std::thread> threads;
		for (unsigned i = 0; i < 8; i++)
			threads.emplace_back([&, i] {
				size_t part = a.size() / 8;
				CHECK_OK(gpuvm_host_begin(a.data() + i * part, part,
							  i % 2 ? GPUVM_READ_WRITE : GPUVM_READ_ONLY));
				a.check(i * part, part, "part of one thread");
				if (i % 2)
					a.write_on_host(i * part, part, round);
			});
		for (auto &th : threads)
			th.join();
		a.check();
	}
}
