// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Exact copies where a device fails half-way. selftests/exact_copies.cc has the others.
#include "memory/exact_copy.h"

#include "memory/fragmented.h"
#include "memory/kernel.h"
#include "small_library.h"

using namespace het;

namespace
{

class exact_copies : public small_library
{
      protected:
	void SetUp() override
	{
		ASSERT_EQ(link(0), 0);
		ASSERT_EQ(link(1), 0);
	}

	void run(unsigned device, kernel_mode mode, char what = 'h')
	{
		ASSERT_EQ(begin_kernel(linked(), whole(device), mode), 0);
		if (mode != kernel_mode::read_only)
			memset(buffer_[device].data(), what, bytes);
		ASSERT_EQ(end_kernel(linked(), whole(device), nullptr), 0);
	}
	int copy(size_t at, size_t n, char *other, bool writes)
	{
		caller_guard g(linked());
		visit v(linked(), g);
		return copy_exactly(linked(), g, range_of(host + at, n), other, writes);
	}
	int write(size_t at, size_t n) { return copy(at, n, std::string(n, 'w').data(), true); }
	copyset copies(size_t at)
	{
		return copies_of(linked(), uint32_t(at / chunk_bytes), reinterpret_cast<uintptr_t>(host) + at).valid;
	}
	std::string read(size_t at, size_t n)
	{
		std::string found(n, '?');
		EXPECT_EQ(copy(at, n, found.data(), false), 0);
		return found;
	}

	static constexpr copyset first = device_copy(0), second = device_copy(1);
	// Of two chunks this is a part.
	static constexpr size_t begin = chunk_bytes / 2, length = chunk_bytes;
};

TEST_F(exact_copies, all_copies_are_written)
{
	run(0, kernel_mode::read_only);
	run(1, kernel_mode::read_only);
	EXPECT_EQ(write(begin, length), 0);
	EXPECT_EQ(copies(begin), host_copy | first | second);
	for (unsigned d : {0, 1})
		EXPECT_EQ(std::string(buffer_[d].data() + begin, length), std::string(length, 'w'));
}

// Neither the device that fails nor the one behind it has what the host has got.
TEST_F(exact_copies, who_could_not_be_written_has_the_bytes_no_more)
{
	run(0, kernel_mode::read_only);
	run(1, kernel_mode::read_only);
	device_[0]->fails = true;
	EXPECT_EQ(write(begin, length), GPUVM_EDEVALLOC);
	device_[0]->fails = false;
	for (size_t at : {begin, begin + length - 1})
		EXPECT_EQ(copies(at), host_copy) << at;
	for (size_t at : {size_t{0}, begin - 1, begin + length, bytes - 1})
		EXPECT_EQ(copies(at), host_copy | first | second) << at;
	EXPECT_EQ(read(begin, length), std::string(length, 'w'));
	run(1, kernel_mode::read_only);
	EXPECT_EQ(std::string(buffer_[1].data() + begin, length), std::string(length, 'w'));
}

TEST_F(exact_copies, nothing_is_written_where_the_first_device_fails)
{
	run(0, kernel_mode::read_write, 'd');
	run(1, kernel_mode::read_only);
	for (size_t c = 0; c < chunks; c++) // these devices copy by way of the host
		enter(linked(), linked().chunks[c], {first | second, access::none});
	device_[0]->fails = true;
	EXPECT_EQ(write(begin, length), GPUVM_EDEVALLOC);
	EXPECT_EQ(copies(begin), second);
	EXPECT_EQ(read(begin, length), std::string(length, 'd'));
}

TEST_F(exact_copies, the_only_copy_stays)
{
	run(0, kernel_mode::read_write, 'd');
	device_[0]->fails = true;
	EXPECT_EQ(write(begin, length), GPUVM_EDEVALLOC);
	EXPECT_EQ(copies(begin), first);
}

} // namespace
