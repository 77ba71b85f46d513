// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// gpuvm_host_read() and gpuvm_host_write() move no bytes but their own, and leave all where it is.
#include "harness/fixture.h"
#include "harness/pattern.h"

#include <cstring>
#include <vector>

using namespace selftest;

namespace
{

constexpr size_t size = 1 << 20;
constexpr size_t at = 3 * 65536 - 700, length = 65536 + 1500; // of three chunks that are not whole

struct moved {
	unsigned long long to_device, to_host, touches;

	static moved so_far()
	{
		return {count_of(GPUVM_STAT_BYTES_TO_DEVICE), count_of(GPUVM_STAT_BYTES_TO_HOST),
			count_of(GPUVM_STAT_TOUCHES)};
	}
	bool is(const moved &before, unsigned long long device, unsigned long long host) const
	{
		return to_device - before.to_device == device && to_host - before.to_host == host &&
		       touches == before.touches;
	}
};

void read_exactly(array &a, size_t off, size_t n)
{
	std::vector<uint8_t> got(n);
	CHECK_OK(gpuvm_host_read(a.data() + off, n, got.data()));
	CHECK(!memcmp(got.data(), a.model() + off, n));
}

void write_exactly(array &a, size_t off, size_t n, uint8_t value)
{
	std::vector<uint8_t> bytes(n, value);
	memset(a.model() + off, value, n);
	CHECK_OK(gpuvm_host_write(a.data() + off, n, bytes.data()));
}

} // namespace

TEST(reads_move_their_bytes, .traps = trap::best | trap::sigsegv, .devices = device::plain, .kinds = kind::map)
{
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, size);
	a.link();
	read_exactly(a, at, length); // from the host
	a.add_everywhere(0, 1);
	for (int again = 0; again < 2; again++) {
		const moved before = moved::so_far();
		read_exactly(a, at, length);
		CHECK(moved::so_far().is(before, 0, length));
	}
	const auto touches = count_of(GPUVM_STAT_TOUCHES);
	a.check();
	CHECK(count_of(GPUVM_STAT_TOUCHES) > touches);
}

TEST(writes_move_their_bytes, .traps = trap::best | trap::sigsegv, .devices = device::plain, .kinds = kind::map)
{
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, size);
	a.link();
	a.add_everywhere(0, 1);
	const moved before = moved::so_far();
	write_exactly(a, at, length, 77);
	CHECK(moved::so_far().is(before, length, 0));
	a.check_buffer(0);
	a.add_everywhere(0, 1);
	CHECK(moved::so_far().is(before, length, 0));
	a.check();
}

// The host and all devices that have the bytes still have them afterwards.
TEST(all_copies_are_written, .traps = trap::best, .devices = device::plain | device::several, .kinds = kind::map)
{
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, size);
	a.link_everywhere();
	a.add_everywhere(0, 1);
	CHECK_OK(gpuvm_host_begin(a.data(), size, GPUVM_READ_ONLY));
	for (unsigned d = 0; d < fx.devices(); d++) {
		CHECK_OK(gpuvm_kernel_begin(a.data(), d, GPUVM_READ_ONLY));
		CHECK_OK(gpuvm_kernel_end(a.data(), d));
	}
	write_exactly(a, at, length, 77);
	a.check();
	for (unsigned d = 0; d < fx.devices(); d++)
		a.check_sum(d);
	read_exactly(a, 0, size);
	a.check();
}

// A kernel writes other bytes of the same chunks meanwhile: what it has is what counts later.
TEST(writes_beside_a_kernel, .traps = trap::best, .devices = device::plain | device::several, .kinds = kind::map)
{
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, size);
	a.link_everywhere();
	const unsigned last = fx.devices() - 1;
	a.add_everywhere(0, 1);
	const size_t behind = at + length;
	CHECK_OK(gpuvm_kernel_begin_range(a.data() + behind, size - behind, last, GPUVM_READ_WRITE));
	write_exactly(a, at, length, 77);
	read_exactly(a, at, length);
	a.run(last, {kernel::add, behind, size - behind, 1});
	CHECK_OK(gpuvm_kernel_end_range(a.data() + behind, size - behind, last));
	read_exactly(a, 0, size);
	a.check();
}

// One byte of an array is enough, of its edges too.
TEST(what_is_linked, .traps = trap::best, .devices = device::plain, .kinds = kind::slice | kind::map)
{
	fixture fx(t, GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, 60000);
	const size_t far = size_t{1} << 40;
	CHECK_EQ(gpuvm_is_linked(a.data(), a.size()), 0);
	a.link();
	CHECK_EQ(gpuvm_is_linked(a.data(), 1), 1);
	CHECK_EQ(gpuvm_is_linked(a.data() + a.size() - 1, 1), 1);
	CHECK_EQ(gpuvm_is_linked(a.data() - 1, 1), 0);
	CHECK_EQ(gpuvm_is_linked(a.data() + a.size(), 1), 0);
	CHECK_EQ(gpuvm_is_linked(a.data() - 1000, far), 1);
	CHECK_EQ(gpuvm_is_linked(a.data(), 0), 0);
	CHECK_EQ(gpuvm_is_linked(a.data(), SIZE_MAX), 0);
	CHECK_OK(gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES));
	CHECK_EQ(gpuvm_is_linked(a.data(), a.size()), 0);
}

// Edges are the host's, and what lies around an array is no array's.
TEST(edges_and_what_is_around, .traps = trap::best, .devices = device::plain, .kinds = kind::slice | kind::heap)
{
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, 60000);
	a.link();
	for (uint8_t round = 1; round < 3; round++) {
		a.add_everywhere(0, round);
		read_exactly(a, 0, a.size());
		write_exactly(a, 1, a.size() - 2, round);
		a.add_everywhere(0, round);
		a.check();
	}
	std::vector<uint8_t> plain(100, 3), other(100);
	CHECK_OK(gpuvm_host_read(plain.data(), plain.size(), other.data()));
	CHECK(plain == other);
}

TEST(what_is_no_copy, .traps = trap::best, .devices = device::host, .kinds = kind::map)
{
	fixture fx(t);
	array a(fx, t.v.kind, size);
	uint8_t byte = 0;
	a.link();
	stderr_capture quiet;
	CHECK_EQ(gpuvm_host_read(a.data(), 1, a.data() + 1), GPUVM_EARG);
	CHECK_EQ(gpuvm_host_write(a.data(), 1, a.data() + 1), GPUVM_EARG);
	CHECK_EQ(gpuvm_host_read(nullptr, 1, &byte), GPUVM_ENULL);
	CHECK_EQ(gpuvm_host_write(a.data(), 1, nullptr), GPUVM_ENULL);
	CHECK_EQ(gpuvm_host_read(a.data(), SIZE_MAX, &byte), GPUVM_EARG);
	CHECK_EQ(gpuvm_host_write(a.data(), SIZE_MAX, &byte), GPUVM_EARG);
	CHECK_OK(gpuvm_host_read(a.data(), 0, &byte));
}
