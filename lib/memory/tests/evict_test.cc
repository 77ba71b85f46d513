// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays lose buffers and stay linked: what comes home, what need not, and what must not leave.
#include "memory/evict.h"

#include "memory/brackets.h"
#include "memory/kernel.h"
#include "small_library.h"

using namespace het;

namespace
{

class evicting : public small_library
{
      protected:
	void SetUp() override { ASSERT_EQ(link(0, managed), 0); }

	static constexpr link_options managed = {.may_copy = true, .managed = true};

	int evict_from(unsigned device = 0)
	{
		brought = 0;
		return evict(l, reinterpret_cast<uintptr_t>(host), device, &brought);
	}
	void run(unsigned device, kernel_mode mode, char what, usage u)
	{
		ASSERT_EQ(begin_kernel(linked(), u, mode), 0);
		memset(buffer_[device].data() + (u.part.begin - linked().place.user.begin), what, u.part.size());
		ASSERT_EQ(end_kernel(linked(), u, nullptr), 0);
	}
	void write_on(unsigned device, char what) { run(device, kernel_mode::read_write, what, whole(device)); }
	void read_on(unsigned device)
	{
		ASSERT_EQ(begin_kernel(linked(), whole(device), kernel_mode::read_only), 0);
		ASSERT_EQ(end_kernel(linked(), whole(device), nullptr), 0);
	}
	const char *alias(size_t at = 0) { return alias_of(linked(), reinterpret_cast<uintptr_t>(host) + at); }

	uint64_t brought = 0;
};

TEST_F(evicting, what_only_the_device_has_comes_home)
{
	write_on(0, 'd');
	ASSERT_EQ(evict_from(), 0);
	EXPECT_EQ(brought, bytes);
	EXPECT_EQ(std::string(alias(), bytes), std::string(bytes, 'd'));
	EXPECT_EQ(device_[0]->buffers, 0);
	EXPECT_EQ(l.resident[0].load(), 0u);
	for (size_t c = 0; c < chunks; c++)
		EXPECT_EQ(state(c), (chunk_state{host_copy, access::none}));
}

// A touch then needs no device.
TEST_F(evicting, a_touch_is_served_at_home)
{
	write_on(0, 'd');
	ASSERT_EQ(evict_from(), 0);
	int reads = device_[0]->reads;
	EXPECT_EQ(touch_at(host), verdict::done);
	EXPECT_EQ(device_[0]->reads, reads);
	EXPECT_EQ(trap_->at(host), access::write) << "the host is the only one who has it";
}

TEST_F(evicting, clean_bytes_are_dropped)
{
	read_on(0);
	ASSERT_EQ(evict_from(), 0);
	EXPECT_EQ(brought, 0u);
	EXPECT_EQ(device_[0]->reads, 0);
	EXPECT_EQ(device_[0]->buffers, 0);
}

TEST_F(evicting, only_dirty_chunks_travel)
{
	read_on(0);
	run(0, kernel_mode::read_write, 'd', part(chunk_bytes, chunk_bytes));
	ASSERT_EQ(evict_from(), 0);
	EXPECT_EQ(brought, chunk_bytes);
	EXPECT_EQ(alias(chunk_bytes)[0], 'd');
	EXPECT_EQ(alias()[0], 'h');
}

// It has all to bring anew.
TEST_F(evicting, another_buffer_may_follow)
{
	write_on(0, 'd');
	uint64_t arrived = linked().links[0].arrived;
	ASSERT_EQ(evict_from(), 0);
	ASSERT_EQ(evict_from(), 0) << "there is nothing to do";
	memset(buffer_[0].data(), '-', bytes);
	ASSERT_EQ(link(0, managed), 0);
	EXPECT_GT(linked().links[0].arrived, arrived);
	ASSERT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_write), 0);
	EXPECT_EQ(std::string(buffer_[0].data(), bytes), std::string(bytes, 'd'));
	ASSERT_EQ(end_kernel(linked(), whole(), nullptr), 0);
}

TEST_F(evicting, what_a_kernel_has_stays)
{
	for (const usage &u : {whole(), part(5, 10)}) {
		for (kernel_mode mode : {kernel_mode::read_only, kernel_mode::read_write, kernel_mode::write_only}) {
			ASSERT_EQ(begin_kernel(linked(), u, mode), 0);
			EXPECT_EQ(evict_from(), GPUVM_ESTATE);
			EXPECT_EQ(device_[0]->buffers, 1);
			ASSERT_EQ(end_kernel(linked(), u, nullptr), 0);
		}
	}
	EXPECT_EQ(evict_from(), 0);
}

TEST_F(evicting, another_device_keeps_its_copy)
{
	ASSERT_EQ(link(1, managed), 0);
	write_on(0, 'd');
	read_on(1);
	ASSERT_EQ(evict_from(0), 0);
	EXPECT_EQ(brought, 0u) << "the other has it";
	EXPECT_TRUE(state(0).device_valid(1));
	EXPECT_EQ(device_[1]->buffers, 1);
	write_on(1, 'e');
	ASSERT_EQ(evict_from(1), 0);
	EXPECT_EQ(brought, bytes);
	EXPECT_EQ(alias()[0], 'e');
}

TEST_F(evicting, a_kernel_elsewhere_does_not_mind)
{
	ASSERT_EQ(link(1, managed), 0);
	write_on(0, 'd');
	ASSERT_EQ(begin_kernel(linked(), whole(1), kernel_mode::read_only), 0);
	EXPECT_EQ(evict_from(0), 0);
	EXPECT_EQ(buffer_[1][0], 'd');
	ASSERT_EQ(end_kernel(linked(), whole(1), nullptr), 0);
}

// Chunk 3 travels by itself, as the host has chunk 2. Meanwhile a kernel takes chunk 0, which is at home already.
TEST_F(evicting, what_begins_meanwhile_is_seen)
{
	write_on(0, 'd');
	ASSERT_EQ(touch_at(chunk_at(2)), verdict::done);
	const usage first = part(0, chunk_bytes);
	int before = device_[0]->reads;
	device_[0]->during_read = [&] {
		bool is_second = device_[0]->reads == before + 2;
		EXPECT_TRUE(!is_second || !begin_kernel(linked(), first, kernel_mode::read_write));
	};
	EXPECT_EQ(evict_from(), GPUVM_ESTATE);
	EXPECT_EQ(device_[0]->buffers, 1);
	memset(buffer_[0].data(), 'e', chunk_bytes);
	ASSERT_EQ(end_kernel(linked(), first, nullptr), 0);
	EXPECT_EQ(evict_from(), 0);
	EXPECT_EQ(alias()[0], 'e');
	EXPECT_EQ(alias(chunk_bytes)[0], 'd');
}

TEST_F(evicting, what_ends_meanwhile_is_seen)
{
	write_on(0, 'd');
	ASSERT_EQ(touch_at(chunk_at(2)), verdict::done);
	int before = device_[0]->reads;
	device_[0]->during_read = [&] {
		if (device_[0]->reads == before + 2)
			run(0, kernel_mode::read_write, 'e', part(0, chunk_bytes));
	};
	EXPECT_EQ(evict_from(), 0);
	EXPECT_EQ(device_[0]->buffers, 0);
	EXPECT_EQ(alias()[0], 'e');
	EXPECT_EQ(alias(3 * chunk_bytes)[0], 'd');
	EXPECT_EQ(state(0), (chunk_state{host_copy, access::none}));
}

TEST_F(evicting, a_device_that_can_not_be_read_keeps_all)
{
	write_on(0, 'd');
	device_[0]->fails = true;
	EXPECT_EQ(evict_from(), GPUVM_EDEVALLOC);
	EXPECT_EQ(device_[0]->buffers, 1);
	EXPECT_TRUE(state(0).device_valid(0));
	device_[0]->fails = false;
	EXPECT_EQ(evict_from(), 0);
	EXPECT_EQ(alias()[0], 'd');
}

TEST_F(evicting, edges_are_at_home_already)
{
	std::vector<char> buffer(bytes);
	{
		structure_guard g(l);
		unlink_all(l, linked(), {});
	}
	ASSERT_EQ(link_array(l, host + 100, bytes - 300, 0, buffer.data(), managed), 0);
	array &a = *l.arrays.find(reinterpret_cast<uintptr_t>(host + 100));
	usage u{0, a.place.user, true};
	ASSERT_EQ(begin_kernel(a, u, kernel_mode::read_write), 0);
	memset(buffer.data(), 'k', bytes);
	ASSERT_EQ(end_kernel(a, u, nullptr), 0);
	ASSERT_EQ(evict(l, reinterpret_cast<uintptr_t>(host + 100), 0, &brought), 0);
	EXPECT_EQ(host[100], 'k');
	EXPECT_EQ(host[99], 'h');
	EXPECT_EQ(a.edges.valid[0] & device_copy(0), 0u);
	EXPECT_EQ(l.resident[0].load(), 0u);
}

TEST_F(evicting, residents_are_listed)
{
	resident_array found[2];
	EXPECT_EQ(find_residents(l, 0, {}), 1u);
	ASSERT_EQ(find_residents(l, 0, found), 1u);
	EXPECT_EQ(found[0].user, range_of(host, bytes));
	EXPECT_FALSE(found[0].in_use);
	EXPECT_EQ(find_residents(l, 1, found), 0u);
	ASSERT_EQ(begin_kernel(linked(), part(0, 10), kernel_mode::read_only), 0);
	ASSERT_EQ(find_residents(l, 0, found), 1u);
	EXPECT_TRUE(found[0].in_use);
	ASSERT_EQ(end_kernel(linked(), part(0, 10), nullptr), 0);
	ASSERT_EQ(evict_from(), 0);
	EXPECT_EQ(find_residents(l, 0, found), 0u);
}

} // namespace
