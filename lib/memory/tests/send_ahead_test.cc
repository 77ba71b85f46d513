// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is sent ahead of a kernel, piece by piece, and what comes in between. The sender is the test.
#include "memory/chunks.h"
#include "memory/kernel.h"
#include "memory/pending.h"
#include "memory/send_ahead.h"
#include "small_library.h"

#include <thread>

using namespace het;

namespace
{

class sending : public small_library
{
      protected:
	sending()
	{
		l.sending = sending_kind::always;
		EXPECT_EQ(link(), 0);
		// A kernel has needed the host's bytes, and reads them.
		EXPECT_EQ(begin(), 0);
		EXPECT_EQ(end(), 0);
		trap_->forget();
		EXPECT_EQ(state(2), shared);
	}

	static constexpr chunk_state shared = {host_copy | device_copy(0), het::access::read};
	static constexpr chunk_state hosts = {host_copy, het::access::write};

	int begin(kernel_mode mode = kernel_mode::read_only, unsigned device = 0)
	{
		return begin_kernel(linked(), whole(device), mode);
	}
	int end(unsigned device = 0) { return end_kernel(linked(), whole(device), nullptr); }
	void write(size_t c, char with)
	{
		if (trap_->at(chunk_at(c)) != het::access::write) {
			ASSERT_EQ(touch_at(chunk_at(c), true), verdict::done);
		}
		memset(chunk_at(c), with, chunk_bytes);
	}
	// Sends all that the host is done with; false if there was nothing.
	bool send()
	{
		caller_guard g(linked());
		bool any = false;
		while (send_next(linked(), g))
			any = true;
		return any;
	}
	uint64_t in_vain() const { return l.stats.sent_in_vain_bytes.get(); }
};

TEST_F(sending, what_the_host_wrote_is_there_before_the_kernel_begins)
{
	write(2, 'w');
	EXPECT_EQ(state(2), hosts);
	ASSERT_TRUE(send());
	EXPECT_EQ(state(2), shared);
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::read);
	EXPECT_EQ(*buffer_at(2), 'w');
	int writes = device_[0]->writes;
	ASSERT_EQ(begin(), 0);
	EXPECT_EQ(device_[0]->writes, writes) << "nothing is left to do";
	EXPECT_EQ(end(), 0);
	EXPECT_EQ(l.stats.sent_used_bytes.get(), chunk_bytes);
	EXPECT_EQ(in_vain(), 0u);
	EXPECT_EQ(linked().visitors, 0u);
}

TEST_F(sending, nothing_is_sent_at_exit)
{
	write(2, 'w');
	l.leaving = true;
	EXPECT_FALSE(send());
	EXPECT_EQ(state(2), hosts);
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::write);
	l.leaving = false;
	EXPECT_TRUE(send());
}

TEST_F(sending, it_is_protected_before_it_is_copied)
{
	write(2, 'w');
	device_[0]->during_write = [&] {
		EXPECT_EQ(trap_->at(chunk_at(2)), het::access::read);
		EXPECT_EQ(linked().sent.target, 1);
		EXPECT_FALSE(linked().chunks[2].flags & chunk_busy);
	};
	EXPECT_TRUE(send());
}

TEST_F(sending, a_write_goes_on_at_once_and_voids_the_copy)
{
	write(2, 'o');
	write(3, 'k');
	ASSERT_EQ(linked().chunks[2].valid, host_copy);
	bool once = true;
	device_[0]->during_write = [&] {
		if (std::exchange(once, false))
			write(2, 'n');
	};
	// It is sent once more, as it was touched again.
	ASSERT_TRUE(send());
	EXPECT_EQ(state(2), shared);
	EXPECT_EQ(in_vain(), 0u) << "until a kernel begins";
	ASSERT_EQ(begin(), 0);
	EXPECT_EQ(std::string(buffer_at(2), chunk_bytes), std::string(chunk_bytes, 'n'));
	EXPECT_EQ(*buffer_at(3), 'k');
	EXPECT_GE(in_vain(), chunk_bytes);
}

TEST_F(sending, a_void_copy_leaves_the_chunk_to_the_host)
{
	write(2, 'o');
	bool once = true;
	device_[0]->during_write = [&] {
		if (std::exchange(once, false)) {
			write(2, 'n');
			EXPECT_FALSE(keep_from_sending(linked(), {2, 3}));
		}
	};
	send();
	EXPECT_EQ(state(2), hosts);
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::write);
}

TEST_F(sending, a_writer_elsewhere_waits_too)
{
	ASSERT_EQ(link(1), 0);
	write(1, 'o');
	std::atomic<bool> sent_on{false};
	std::thread other;
	device_[0]->during_write = [&] {
		other = std::thread([&] {
			EXPECT_EQ(begin(kernel_mode::read_write, 1), 0);
			EXPECT_TRUE(sent_on);
		});
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		sent_on = true;
	};
	send();
	device_[0]->during_write = nullptr;
	other.join();
	memset(buffer_at(0, 1), 'K', bytes);
	ASSERT_EQ(end(1), 0);
	EXPECT_EQ(state(1), (chunk_state{device_copy(1), het::access::none}));
	ASSERT_EQ(begin(), 0);
	EXPECT_EQ(*buffer_at(1), 'K');
}

TEST_F(sending, that_pages_are_only_taken_does_not_void_it)
{
	write(1, 'o');
	device_[0]->during_write = [&] {
		caller_guard g(linked());
		EXPECT_EQ(lower_access(linked(), {1, 2}, het::access::none), 0);
	};
	send();
	EXPECT_EQ(state(1), (chunk_state{host_copy | device_copy(0), het::access::none}));
}

TEST_F(sending, a_begin_there_waits_until_it_has_ended)
{
	write(1, 'o');
	std::atomic<bool> begun{false}, sent_on{false};
	std::thread other;
	bool once = true;
	device_[0]->during_write = [&] {
		if (!std::exchange(once, false))
			return;
		// What the host writes now must not be overwritten by the copy that is under way.
		write(1, 'n');
		other = std::thread([&] {
			EXPECT_EQ(begin(), 0);
			EXPECT_TRUE(sent_on);
			begun = true;
		});
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		EXPECT_FALSE(begun);
		sent_on = true;
	};
	send();
	other.join();
	EXPECT_EQ(std::string(buffer_at(1), chunk_bytes), std::string(chunk_bytes, 'n'));
}

TEST_F(sending, a_begin_elsewhere_does_not_wait)
{
	ASSERT_EQ(link(1), 0);
	write(1, 'o');
	device_[0]->during_write = [&] {
		EXPECT_EQ(begin(kernel_mode::read_only, 1), 0);
		EXPECT_EQ(*buffer_at(1, 1), 'o');
		EXPECT_EQ(end(1), 0);
	};
	EXPECT_TRUE(send());
}

TEST_F(sending, nothing_is_sent_under_a_kernel)
{
	ASSERT_EQ(begin(), 0);
	write(1, 'k');
	EXPECT_FALSE(send()) << "it reads the buffer";
	ASSERT_EQ(end(), 0);
	EXPECT_TRUE(send());
	ASSERT_EQ(link(1), 0);
	ASSERT_EQ(begin(kernel_mode::read_write, 1), 0);
	write(2, 'k');
	EXPECT_FALSE(send());
	ASSERT_EQ(end(1), 0);
}

TEST_F(sending, nor_for_a_kernel_that_is_pending)
{
	int event = 0;
	int err = 0;
	ASSERT_EQ(begin(), 0);
	pending_kernel *p = make_pending(l, 0, &event, &err);
	ASSERT_EQ(end_kernel(linked(), whole(), p), 0);
	ASSERT_TRUE(linked().pending);
	write(1, 'k');
	EXPECT_FALSE(send());
}

TEST_F(sending, an_array_that_is_held_is_left_alone)
{
	write(1, 'k');
	linked().held = true;
	EXPECT_FALSE(send());
	linked().held = false;
	EXPECT_TRUE(send());
}

TEST_F(sending, failed_and_joint_chunks_and_fragments_are_left_alone)
{
	for (uint8_t flag : {chunk_failed, chunk_joint, chunk_fragmented}) {
		write(1, 'k');
		linked().chunks[1].flags = flag;
		int writes = device_[0]->writes;
		send();
		EXPECT_EQ(device_[0]->writes, writes);
		EXPECT_EQ(state(1), hosts);
		linked().chunks[1].flags = 0;
		ASSERT_EQ(begin(), 0);
		ASSERT_EQ(end(), 0);
	}
}

TEST_F(sending, a_copy_that_fails_is_tried_again_by_the_begin)
{
	write(1, 'f');
	device_[0]->fails = true;
	EXPECT_FALSE(send());
	EXPECT_EQ(state(1).valid, host_copy);
	EXPECT_EQ(linked().sent.target, 0);
	EXPECT_EQ(linked().visitors, 0u);
	device_[0]->fails = false;
	ASSERT_EQ(begin(), 0);
	EXPECT_EQ(*buffer_at(1), 'f');
}

TEST_F(sending, a_device_that_is_lost_meanwhile_has_nothing)
{
	write(1, 'l');
	device_[0]->during_write = [&] { l.lost.fetch_or(device_copy(0)); };
	send();
	EXPECT_EQ(state(1).valid, host_copy);
	EXPECT_FALSE(send()) << "and gets nothing";
	l.lost.store(0);
}

TEST_F(sending, a_link_is_removed_when_nothing_is_on_its_way_to_it)
{
	ASSERT_EQ(link(1), 0);
	write(1, 'u');
	std::atomic<bool> sent_on{false};
	std::thread other;
	bool once = true;
	device_[0]->during_write = [&] {
		if (!std::exchange(once, false))
			return;
		other = std::thread([&] {
			EXPECT_EQ(unlink_array(l, host, 0), 0);
			EXPECT_TRUE(sent_on);
		});
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		sent_on = true;
	};
	send();
	other.join();
	write(2, 'u');
	EXPECT_FALSE(send()) << "no kernel has needed it elsewhere";
	// What the program says of a new link is not overwritten.
	ASSERT_EQ(link(0, {.on_device = true}), 0);
	EXPECT_FALSE(send());
}

TEST_F(sending, what_host_begin_names_is_not_sent)
{
	write(1, 'p');
	write(2, 'q');
	{
		caller_guard g(linked());
		EXPECT_TRUE(keep_from_sending(linked(), {1, 2}));
	}
	send();
	EXPECT_EQ(state(1), hosts);
	EXPECT_EQ(state(2), shared);
	ASSERT_EQ(begin(), 0);
	ASSERT_EQ(end(), 0);
	write(1, 'r');
	send();
	EXPECT_EQ(state(1), shared) << "that was until the next begin";
}

// A first write is to be seen where something is learned from it, so it is not what foresight makes writable.
TEST_F(sending, foresight_leaves_what_is_watched_read_only)
{
	l.foresight = foresight_kind::always;
	for (int round = 0; round < 4; round++) {
		for (size_t c = 0; c < chunks; c++)
			write(c, char('a' + round));
		ASSERT_EQ(begin(kernel_mode::read_write), 0);
		memset(buffer_at(0), 'K', bytes);
		ASSERT_EQ(end(), 0);
	}
	ASSERT_GT(l.stats.foreseen_bytes.get(), 0u);
	EXPECT_EQ(state(1), shared);
	EXPECT_EQ(*chunk_at(1), 'K');
}

TEST_F(sending, a_write_opens_the_segment)
{
	// Each chunk is a segment here, so there is nothing to open but itself.
	write(1, 'x');
	EXPECT_EQ(trap_->at(chunk_at(0)), het::access::read);
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::read);
}

TEST_F(sending, the_first_write_tells_the_sender)
{
	write(1, 'x');
	write(2, 'y');
	EXPECT_EQ(&l.to_send.next(), &linked());
	for (int i = 0; i < 64; i++)
		EXPECT_TRUE(l.to_send.add(linked()));
	EXPECT_FALSE(l.to_send.add(linked())) << "then it is left to the begin";
}

} // namespace
