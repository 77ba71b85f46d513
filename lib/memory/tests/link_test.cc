// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays come and go: what is adopted and watched, what is refused, and what comes home before it goes.
#include "memory/link.h"

#include "memory/kernel.h"
#include "small_library.h"

#include <cerrno>

using namespace het;

namespace
{

class linking : public small_library
{
      protected:
	bool is_linked() const { return l.arrays.find(reinterpret_cast<uintptr_t>(host)) != nullptr; }
	void write_on_device(unsigned d, char what)
	{
		EXPECT_EQ(begin_kernel(linked(), whole(d), kernel_mode::read_write), 0);
		memset(buffer_at(0, d), what, bytes);
		EXPECT_EQ(end_kernel(linked(), whole(d), nullptr), 0);
	}
	std::string all() const { return {host, bytes}; }
};

TEST_F(linking, whole_pages_are_adopted_with_their_contents)
{
	host[bytes - 1] = 'z';
	ASSERT_EQ(link(), 0);
	EXPECT_EQ(host[0], 'h');
	EXPECT_EQ(host[bytes - 1], 'z');
	EXPECT_EQ(trap_->watched, range_of(host, bytes));
	EXPECT_EQ(device_[0]->buffers, 1);
	host[3] = 'w';
	EXPECT_EQ(alias_of(linked(), reinterpret_cast<uintptr_t>(host))[3], 'w') << "the same pages";
	EXPECT_FALSE(linked().held);
	EXPECT_TRUE(trap_->was_woken(host)) << "who was caught meanwhile";
}

// A launch asks without the lock whether bytes have edges beside them.
TEST_F(linking, arrays_without_edges_say_so_while_they_are_linked)
{
	ASSERT_EQ(link_array(l, host + 100, bytes - 300, 0, buffer_[0].data(), {}), 0);
	array &with_edges = *l.arrays.first_overlap(range_of(host, bytes));
	EXPECT_FALSE(with_edges.plain);
	{
		structure_guard g(l);
		ASSERT_EQ(unlink_all(l, with_edges, {}), 0);
	}
	ASSERT_EQ(link(), 0);
	array &a = linked();
	EXPECT_TRUE(a.plain);
	structure_guard g(l);
	ASSERT_EQ(unlink_all(l, a, {}), 0);
	EXPECT_FALSE(a.plain) << "others may have found it in the index";
}

TEST_F(linking, edges_are_not_watched)
{
	std::vector<char> buffer(bytes);
	ASSERT_EQ(link_array(l, host + 100, bytes - 300, 0, buffer.data(), {}), 0);
	EXPECT_EQ(trap_->watched, range_of(host + page, bytes - 2 * page));
	array &a = *l.arrays.find(reinterpret_cast<uintptr_t>(host + 100));
	EXPECT_EQ(a.place.head.size(), page - 100);
	EXPECT_EQ(a.place.tail.size(), page - 200);
	usage u{0, a.place.user, true};
	ASSERT_EQ(begin_kernel(a, u, kernel_mode::read_write), 0);
	memset(buffer.data(), 'k', bytes);
	ASSERT_EQ(end_kernel(a, u, nullptr), 0);
	EXPECT_EQ(host[99], 'h');
	EXPECT_EQ(host[100], 'k') << "edges come home at the end";
	EXPECT_EQ(host[page], 'h') << "the body does not";
	EXPECT_EQ(host[bytes - 201], 'k');
	EXPECT_EQ(host[bytes - 200], 'h');
}

TEST_F(linking, what_can_not_be_linked_is_refused)
{
	ASSERT_EQ(link(), 0);
	EXPECT_EQ(link(), GPUVM_ELINK) << "twice on one device";
	EXPECT_EQ(link_array(l, host, bytes / 2, 1, buffer_[1].data(), {}), GPUVM_ERANGE) << "a part of another";
	EXPECT_EQ(device_[1]->buffers, 0);
	ASSERT_EQ(link(1), 0);
	EXPECT_EQ(device_[1]->buffers, 1);
	device_[1]->has_host_memory = true;
	std::vector<char> other(4 * page);
	EXPECT_EQ(link_array(l, other.data(), other.size(), 1, host, {}), GPUVM_EARG) << "the buffer is an array";
	EXPECT_EQ(link_array(l, other.data(), other.size(), 1, other.data() + page, {}), GPUVM_EARG) << "of itself";
}

TEST_F(linking, memory_that_can_not_be_watched_stays_as_it_was)
{
	trap_->hold_error = -EBUSY;
	EXPECT_EQ(link(), GPUVM_EPROT);
	EXPECT_FALSE(is_linked());
	EXPECT_EQ(device_[0]->buffers, 0);
	EXPECT_EQ(all(), std::string(bytes, 'h'));
	trap_->hold_error = 0;
	EXPECT_EQ(link(), 0);
}

TEST_F(linking, a_devices_copy_can_be_the_valid_one)
{
	memset(buffer_at(0), 'd', bytes);
	ASSERT_EQ(link(0, {.on_device = true}), 0);
	EXPECT_EQ(trap_->at(host), het::access::none);
	EXPECT_EQ(state(2).valid, device_copy(0));
	EXPECT_EQ(touch_at(chunk_at(2)), verdict::done);
	EXPECT_EQ(chunk_at(2)[0], 'd');
	EXPECT_EQ(linked().chunks[1].writer, 0);
}

TEST_F(linking, the_last_unlink_brings_home_and_gives_back)
{
	ASSERT_EQ(link(), 0);
	write_on_device(0, 'k');
	trap_->forget();
	ASSERT_EQ(unlink_array(l, host, all_devices), 0);
	EXPECT_FALSE(is_linked());
	EXPECT_EQ(all(), std::string(bytes, 'k'));
	EXPECT_EQ(device_[0]->buffers, 0);
	EXPECT_TRUE(trap_->was_woken(host)) << "who was caught before";
	EXPECT_EQ(unlink_array(l, host, all_devices), GPUVM_EHOSTPTR);
	// The part of the page source is free again, and private memory does not show through.
	ASSERT_EQ(link(), 0);
	EXPECT_EQ(all(), std::string(bytes, 'k'));
}

TEST_F(linking, without_the_wish_to_sync_nothing_comes_home)
{
	l.sync_back = false;
	ASSERT_EQ(link(), 0);
	write_on_device(0, 'k');
	ASSERT_EQ(unlink_array(l, host, 0), 0);
	EXPECT_EQ(device_[0]->reads, 0);
}

TEST_F(linking, an_array_that_a_kernel_uses_stays)
{
	ASSERT_EQ(link(), 0);
	ASSERT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_write), 0);
	EXPECT_EQ(unlink_array(l, host, all_devices), GPUVM_ESTATE);
	EXPECT_TRUE(is_linked());
	EXPECT_FALSE(linked().held);
	ASSERT_EQ(end_kernel(linked(), whole(), nullptr), 0);
	EXPECT_EQ(unlink_array(l, host, all_devices), 0);
}

TEST_F(linking, one_link_of_several_goes_when_its_bytes_are_elsewhere)
{
	ASSERT_EQ(link(0), 0);
	ASSERT_EQ(link(1), 0);
	write_on_device(0, 'k');
	ASSERT_EQ(unlink_array(l, host, 0), 0);
	EXPECT_TRUE(is_linked());
	EXPECT_EQ(device_[0]->buffers, 0);
	EXPECT_EQ(state(1).valid, host_copy) << "it was the only copy";
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_EQ(chunk_at(1)[0], 'k');
}

TEST_F(linking, a_device_that_can_not_be_read_keeps_its_link)
{
	ASSERT_EQ(link(), 0);
	write_on_device(0, 'k');
	device_[0]->fails = true;
	EXPECT_EQ(unlink_array(l, host, all_devices), GPUVM_EDEVALLOC);
	EXPECT_TRUE(is_linked());
	EXPECT_FALSE(linked().held);
	device_[0]->fails = false;
	EXPECT_EQ(unlink_array(l, host, all_devices), 0);
	EXPECT_EQ(host[0], 'k');
}

TEST_F(linking, two_libraries_know_nothing_of_each_other)
{
	ASSERT_EQ(link(), 0);
	EXPECT_EQ(&lib().arrays == &l.arrays, false);
	EXPECT_TRUE(lib().arrays.empty());
	EXPECT_FALSE(lib().ready.load());
	EXPECT_EQ(linked().context, &l);
}

} // namespace
