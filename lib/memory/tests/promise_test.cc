// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels in strict mode whose bytes the host has promised not to touch before it is told of their end: what stays
// mapped, what comes home behind them, and who waits for that.
#include "memory/chunks.h"
#include "memory/foresee.h"
#include "memory/kernel.h"
#include "small_library.h"

#include <thread>

using namespace het;

namespace
{

class promises : public small_library
{
      protected:
	promises()
	{
		l.strict = true;
		l.foresight = foresight_kind::always;
		EXPECT_EQ(link(), 0);
	}

	usage promised(size_t first, size_t n, unsigned device = 0) const
	{
		usage u = part(first, n, device);
		u.whole = n == bytes;
		u.promised = true;
		return u;
	}
	usage all() const { return promised(0, bytes); }

	int begin(const usage &u, kernel_mode mode = kernel_mode::read_write)
	{
		return begin_kernel(linked(), u, mode);
	}
	// What is foreseen is left to the test.
	foreseen_chunks end(const usage &u, const bytes_soon &soon = {})
	{
		foreseen_chunks behind;
		EXPECT_EQ(end_kernel(linked(), u, nullptr, nullptr, {.may = true, .soon = soon, .behind = &behind}), 0);
		return behind;
	}
	void bring(const foreseen_chunks &behind)
	{
		ASSERT_TRUE(behind.in);
		bring_foreseen(behind);
	}
	// A kernel that fills the bytes, which come home.
	void fill(const usage &u, char with)
	{
		ASSERT_EQ(begin(u), 0);
		memset(buffer_at(0) + (u.part.begin - reinterpret_cast<uintptr_t>(host)), with, u.part.size());
		bring(end(u));
	}
	// All is expected to be read, and shared by host and device.
	void make_history()
	{
		touch_at(host);
		ASSERT_EQ(begin(all()), 0);
		bring(end(all()));
		for (size_t c = 0; c < chunks; c++)
			ASSERT_EQ(touch_at(chunk_at(c)), verdict::done);
		trap_->forget();
	}
	bool is_busy(size_t c) { return linked().chunks[c].flags & chunk_busy; }
	range at(size_t first, size_t n) const { return range_of(host + first, n); }
};

constexpr chunk_state shared = {host_copy | device_copy(0), het::access::read};

TEST_F(promises, pages_stay_and_bytes_are_home_behind_the_kernel)
{
	make_history();
	ASSERT_EQ(begin(all()), 0);
	EXPECT_EQ(trap_->at(host), het::access::read);
	memset(buffer_at(0), 'k', bytes);
	foreseen_chunks behind = end(all());
	ASSERT_EQ(behind.in, &linked());
	EXPECT_FALSE(is_open(linked(), 0)) << "the kernel is over";
	EXPECT_TRUE(is_busy(0));
	EXPECT_EQ(host[0], 'h');
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::wait);
	bring_foreseen(behind);
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'k'));
	for (size_t c = 0; c < chunks; c++)
		EXPECT_EQ(state(c), shared);
	EXPECT_TRUE(trap_->was_woken(chunk_at(1)));
	EXPECT_TRUE(trap_->log.empty()) << "no page was taken or shown";
	EXPECT_EQ(linked().visitors, 0u);
}

TEST_F(promises, chunks_with_bytes_of_others_are_taken)
{
	make_history();
	usage u = promised(chunk_bytes / 2, 3 * chunk_bytes);
	ASSERT_EQ(begin(u), 0);
	EXPECT_EQ(trap_->at(chunk_at(0)), het::access::none);
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::read);
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::read);
	EXPECT_EQ(trap_->at(chunk_at(3)), het::access::none);
	EXPECT_EQ(touch_at(chunk_at(0)), verdict::wait);
	foreseen_chunks behind = end(u);
	ASSERT_TRUE(behind.in);
	EXPECT_FALSE(is_busy(0));
	EXPECT_TRUE(is_busy(1));
	EXPECT_FALSE(is_busy(3));
	EXPECT_EQ(touch_at(chunk_at(0)), verdict::done);
	bring_foreseen(behind);
	EXPECT_EQ(state(2), shared);
}

TEST_F(promises, what_others_will_write_does_not_come)
{
	make_history();
	ASSERT_EQ(begin(all()), 0);
	const range soon[] = {at(chunk_bytes + 7, 1), at(3 * chunk_bytes - 1, 2)};
	foreseen_chunks behind = end(all(), {.written = soon});
	ASSERT_TRUE(behind.in);
	for (size_t c : {1, 2, 3})
		EXPECT_EQ(state(c), (chunk_state{device_copy(0), het::access::none}));
	size_t before = device_[0]->bytes_read;
	bring_foreseen(behind);
	EXPECT_EQ(device_[0]->bytes_read - before, chunk_bytes);
	EXPECT_EQ(state(0), shared);
	ASSERT_EQ(begin(all()), 0);
	const range everything[] = {at(0, bytes)};
	EXPECT_EQ(end(all(), {.written = everything}).in, nullptr);
}

// The chunks of a kernel are its own: what a later one leaves behind is not brought with them.
TEST_F(promises, each_brings_its_own)
{
	make_history();
	ASSERT_EQ(begin(all()), 0);
	const range soon[] = {at(2 * chunk_bytes, 2 * chunk_bytes)};
	foreseen_chunks first = end(all(), {.written = soon});
	ASSERT_TRUE(first.in);
	for (size_t c : {2, 3})
		ASSERT_EQ(touch_at(chunk_at(c)), verdict::done);
	usage rest = promised(2 * chunk_bytes, 2 * chunk_bytes);
	ASSERT_EQ(begin(rest), 0);
	memset(buffer_at(2), 'r', 2 * chunk_bytes);
	foreseen_chunks second = end(rest);
	ASSERT_TRUE(second.in);
	EXPECT_EQ(linked().visitors, 2u);
	bring_foreseen(first);
	EXPECT_FALSE(is_busy(1));
	EXPECT_TRUE(is_busy(2));
	bring_foreseen(second);
	EXPECT_EQ(*chunk_at(3), 'r');
	EXPECT_EQ(linked().visitors, 0u);
}

TEST_F(promises, a_reader_on_the_device_does_not_wait)
{
	make_history();
	ASSERT_EQ(begin(all()), 0);
	foreseen_chunks behind = end(all());
	int writes = device_[0]->writes;
	ASSERT_EQ(begin(whole(), kernel_mode::read_only), 0);
	EXPECT_EQ(device_[0]->writes, writes);
	EXPECT_TRUE(is_busy(0));
	bring_foreseen(behind);
	EXPECT_EQ(state(0), shared);
	EXPECT_EQ(end_kernel(linked(), whole(), nullptr), 0);
	EXPECT_EQ(state(0), shared);
}

TEST_F(promises, a_writer_and_another_device_wait)
{
	ASSERT_EQ(link(1), 0);
	make_history();
	usage reader = whole(1);
	for (bool writes : {true, false}) {
		ASSERT_EQ(begin(all()), 0);
		memset(buffer_at(0), writes ? 'w' : 'o', bytes);
		foreseen_chunks behind = end(all());
		ASSERT_TRUE(behind.in);
		std::atomic<bool> brought{false};
		std::thread other([&] {
			const usage &u = writes ? all() : reader;
			EXPECT_EQ(begin(u, writes ? kernel_mode::read_write : kernel_mode::read_only), 0);
			EXPECT_TRUE(brought);
		});
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		brought = true;
		bring_foreseen(behind);
		other.join();
		if (writes) {
			bring(end(all()));
		} else {
			EXPECT_EQ(buffer_[1], buffer_[0]);
			EXPECT_EQ(end_kernel(linked(), reader, nullptr), 0);
		}
	}
}

TEST_F(promises, a_copy_that_fails_leaves_all_with_the_device)
{
	make_history();
	ASSERT_EQ(begin(all()), 0);
	memset(buffer_at(0), 'f', bytes);
	foreseen_chunks behind = end(all());
	device_[0]->fails = true;
	bring_foreseen(behind);
	device_[0]->fails = false;
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(state(c), (chunk_state{device_copy(0), het::access::none}));
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::none);
		EXPECT_EQ(linked().chunks[c].flags, 0);
	}
	ASSERT_EQ(touch_at(chunk_at(2)), verdict::done);
	EXPECT_EQ(*chunk_at(2), 'f');
}

TEST_F(promises, what_the_host_writes_stays_writable)
{
	make_history();
	for (int round = 0; round < 3; round++) {
		for (size_t c = 0; c < chunks; c++) {
			bool may_write = trap_->at(chunk_at(c)) == het::access::write;
			ASSERT_TRUE(may_write || touch_at(chunk_at(c), true) == verdict::done);
		}
		memset(host, 'a' + round, bytes);
		fill(promised(0, bytes), char('A' + round));
		EXPECT_EQ(host[5], 'A' + round);
	}
	EXPECT_EQ(trap_->at(host), het::access::write);
	EXPECT_EQ(state(0), (chunk_state{host_copy, het::access::write}));
	trap_->forget();
	memset(host, 'z', bytes);
	ASSERT_EQ(begin(all()), 0);
	EXPECT_EQ(buffer_at(3)[9], 'z');
	foreseen_chunks behind = end(all());
	EXPECT_EQ(linked().chunks[0].flags & chunk_kept, 0) << "the host becomes its owner";
	bring_foreseen(behind);
	EXPECT_TRUE(trap_->log.empty());
}

// The host writes all of it after each kernel, and one that reads has made its pages read-only; then another ends, and
// they can't be made writable.
class failed_openings : public promises
{
      protected:
	// Returns the list of the kernel that has filled the array.
	foreseen_chunks fill_read_only(char with)
	{
		make_history();
		for (int round = 0; round < 3; round++) {
			for (size_t c = 0; c < chunks; c++)
				touch_at(chunk_at(c), true);
			fill(all(), '-');
		}
		EXPECT_EQ(begin(all(), kernel_mode::read_only), 0);
		EXPECT_EQ(end_kernel(linked(), all(), nullptr), 0);
		EXPECT_EQ(trap_->at(host), het::access::read);
		EXPECT_EQ(begin(all()), 0);
		memset(buffer_at(0), with, bytes);
		return end(all());
	}
};

TEST_F(failed_openings, pages_are_a_touch_away)
{
	foreseen_chunks behind = fill_read_only('o');
	trap_->open_error = -EFAULT;
	bring(behind);
	trap_->open_error = 0;
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'o'));
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(state(c), (chunk_state{host_copy, het::access::read}));
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::none);
	}
	size_t before = device_[0]->bytes_read;
	ASSERT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::write) << "the host alone has it";
	ASSERT_EQ(touch_at(chunk_at(2), true), verdict::done);
	EXPECT_EQ(trap_->at(chunk_at(2)), het::access::write);
	EXPECT_EQ(state(2), (chunk_state{host_copy, het::access::write}));
	EXPECT_EQ(device_[0]->bytes_read, before);
	*chunk_at(2) = '2';
	ASSERT_EQ(begin(all()), 0);
	EXPECT_EQ(*buffer_at(2), '2');
	bring(end(all()));
}

// Some are writable until they are taken down again, and the host has written to one.
TEST_F(failed_openings, what_was_written_meanwhile_is_sent)
{
	foreseen_chunks behind = fill_read_only('o');
	trap_->open_error = -ENOMEM;
	trap_->opened_before_error = page;
	trap_->during_protect = [&] { *host = 'w'; };
	bring(behind);
	trap_->during_protect = nullptr;
	trap_->open_error = 0;
	ASSERT_EQ(begin(all()), 0);
	EXPECT_EQ(*buffer_at(0), 'w');
	bring(end(all()));
}

// Some are writable when it fails, and can't be taken down again: no write of the host's may go unseen there.
TEST_F(failed_openings, what_stays_writable_is_the_hosts)
{
	foreseen_chunks behind = fill_read_only('o');
	trap_->open_error = trap_->protect_error = -ENOMEM;
	trap_->opened_before_error = 2 * page;
	bring(behind);
	trap_->open_error = trap_->protect_error = 0;
	ASSERT_EQ(trap_->at(host), het::access::write);
	EXPECT_EQ(state(0), (chunk_state{host_copy, het::access::write}));
	*host = 'w';
	ASSERT_EQ(touch_at(chunk_at(3)), verdict::done);
	EXPECT_EQ(*chunk_at(3), 'o');
	ASSERT_EQ(begin(all()), 0);
	EXPECT_EQ(*buffer_at(0), 'w');
	bring(end(all()));
}

// A kernel behind this one has begun to read there: the host gets its bytes all the same.
TEST_F(promises, one_with_a_reader_behind_it_brings_its_own)
{
	make_history();
	usage writes = all(), reads = all();
	writes.ends = ending::writer;
	reads.ends = ending::reader;
	reads.behind = true;
	ASSERT_EQ(begin(writes), 0);
	ASSERT_EQ(begin(reads, kernel_mode::read_only), 0);
	memset(buffer_at(0), 'k', bytes);
	const range soon[] = {at(0, bytes)};
	bring(end(writes, {.read = soon}));
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'k'));
	for (size_t c = 0; c < chunks; c++)
		EXPECT_EQ(state(c), shared) << "the reader goes on";
	EXPECT_FALSE(end(reads).in);
}

// The host writes all of it each time, but a kernel is about to read some of it.
TEST_F(promises, what_others_will_read_stays_with_the_device)
{
	make_history();
	for (size_t c = 0; c < chunks; c++)
		ASSERT_EQ(touch_at(chunk_at(c), true), verdict::done);
	ASSERT_EQ(begin(all()), 0);
	const range soon[] = {at(chunk_bytes + 7, 1)};
	foreseen_chunks behind = end(all(), {.read = soon});
	ASSERT_TRUE(behind.in);
	EXPECT_EQ(trap_->at(chunk_at(1)), het::access::read) << "a write meanwhile would be unseen";
	bring_foreseen(behind);
	EXPECT_EQ(state(1), shared);
	EXPECT_EQ(state(0), (chunk_state{host_copy, het::access::write}));
	EXPECT_EQ(trap_->at(chunk_at(0)), het::access::write);
	ASSERT_EQ(touch_at(chunk_at(1), true), verdict::done);
	EXPECT_EQ(state(1), (chunk_state{host_copy, het::access::write}));
}

TEST_F(promises, it_is_unlinked_when_all_is_home)
{
	make_history();
	ASSERT_EQ(begin(all()), 0);
	memset(buffer_at(0), 'u', bytes);
	foreseen_chunks behind = end(all());
	std::atomic<bool> brought{false};
	std::thread other([&] {
		EXPECT_EQ(unlink_array(l, host, 0), 0);
		EXPECT_TRUE(brought);
	});
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	brought = true;
	bring_foreseen(behind);
	other.join();
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'u'));
}

} // namespace
