// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Begins and ends of kernels: what is copied, what the host may do then, and what is left when something fails.
#include "memory/kernel.h"

#include "memory/pending.h"
#include "small_library.h"

#include <cerrno>

using namespace het;

namespace
{

class kernels : public small_library
{
      protected:
	kernels()
	{
		EXPECT_EQ(link(), 0);
		EXPECT_EQ(linked().place.chunks, chunks);
		trap_->forget();
	}
	int begin(const usage &u, kernel_mode mode) { return begin_kernel(linked(), u, mode); }
	int end(const usage &u) { return end_kernel(linked(), u, nullptr); }
	int run(const usage &u, kernel_mode mode)
	{
		int err = begin(u, mode);
		return err ? err : end(u);
	}
};

constexpr chunk_state host_alone = {host_copy, het::access::write};
constexpr chunk_state device_alone(unsigned d)
{
	return {device_copy(d), het::access::none};
}

TEST_F(kernels, a_writer_gets_the_bytes_and_takes_the_pages)
{
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	EXPECT_EQ(buffer_[0], std::vector<char>(bytes, 'h'));
	EXPECT_EQ(trap_->at(host), het::access::write) << "the host loses them at the end";
	ASSERT_EQ(end(whole()), 0);
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_EQ(trap_->at(chunk_at(c)), het::access::none);
		EXPECT_EQ(state(c), device_alone(0));
	}
	EXPECT_EQ(trap_->count("take"), 1u) << "one call for all";
}

TEST_F(kernels, a_second_one_on_untouched_chunks_asks_nobody)
{
	ASSERT_EQ(run(whole(), kernel_mode::read_write), 0);
	trap_->forget();
	int writes = device_[0]->writes;
	uint64_t kept = l.stats.kept_bytes.get();
	for (kernel_mode mode : {kernel_mode::read_write, kernel_mode::read_only, kernel_mode::read_write})
		ASSERT_EQ(run(whole(), mode), 0);
	EXPECT_EQ(device_[0]->writes, writes);
	EXPECT_TRUE(trap_->log.empty());
	EXPECT_EQ(l.stats.kept_bytes.get() - kept, 3 * bytes);
	EXPECT_FALSE(is_open(linked(), 0));
	EXPECT_EQ(linked().fast.load(), device_copy(0) | host_copy);
}

TEST_F(kernels, a_reader_leaves_the_host_reading)
{
	ASSERT_EQ(run(whole(), kernel_mode::read_only), 0);
	EXPECT_EQ(trap_->at(host), het::access::read);
	EXPECT_EQ(state(1), (chunk_state{host_copy | device_copy(0), het::access::read}));
	ASSERT_EQ(touch_at(chunk_at(1), true), verdict::done);
	memset(chunk_at(1), 'n', chunk_bytes);
	device_[0]->bytes_written = 0;
	ASSERT_EQ(run(whole(), kernel_mode::read_only), 0);
	EXPECT_EQ(device_[0]->bytes_written, chunk_bytes) << "only what the host has written";
	EXPECT_EQ(buffer_at(1)[17], 'n');
}

TEST_F(kernels, one_that_overwrites_all_gets_nothing)
{
	ASSERT_EQ(run(whole(), kernel_mode::write_only), 0);
	EXPECT_EQ(device_[0]->bytes_written, 0u);
	EXPECT_EQ(state(0), device_alone(0));
}

TEST_F(kernels, one_that_overwrites_parts_gets_the_chunks_around_them)
{
	usage u = part(chunk_bytes / 2, 2 * chunk_bytes);
	ASSERT_EQ(begin(u, kernel_mode::write_only), 0);
	EXPECT_EQ(device_[0]->bytes_written, 2 * chunk_bytes) << "the first and the last, not the one between";
	EXPECT_EQ(buffer_at(1)[0], '-');
	ASSERT_EQ(end(u), 0);
	EXPECT_EQ(state(1), device_alone(0));
	EXPECT_EQ(state(3), host_alone);
}

TEST_F(kernels, a_begin_that_fails_leaves_the_host_what_it_had)
{
	device_[0]->fails = true;
	EXPECT_EQ(begin(whole(), kernel_mode::read_write), GPUVM_EDEVALLOC);
	EXPECT_FALSE(is_open(linked(), 0));
	EXPECT_EQ(state(2), host_alone);
	EXPECT_EQ(linked().chunks[2].writer, 0);
	EXPECT_EQ(end(whole()), GPUVM_ESTATE) << "nothing has begun";
	device_[0]->fails = false;
	EXPECT_EQ(run(whole(), kernel_mode::read_write), 0);
}

TEST_F(kernels, what_cannot_be_taken_from_the_host_is_read_back)
{
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	memset(buffer_at(0), 'k', bytes);
	trap_->protect_error = -ENOMEM;
	EXPECT_EQ(end(whole()), 0);
	EXPECT_EQ(state(0), host_alone);
	EXPECT_EQ(std::string(host, bytes), std::string(bytes, 'k'));
	EXPECT_FALSE(is_open(linked(), 0));
}

TEST_F(kernels, bytes_go_from_device_to_device_through_the_alias)
{
	ASSERT_EQ(link(1), 0);
	ASSERT_EQ(begin(whole(0), kernel_mode::read_write), 0);
	memset(buffer_at(0), '0', bytes);
	ASSERT_EQ(end(whole(0)), 0);
	ASSERT_EQ(begin(whole(1), kernel_mode::read_only), 0);
	EXPECT_EQ(buffer_[1], buffer_[0]);
	EXPECT_EQ(state(0).valid, host_copy | device_copy(0) | device_copy(1));
	EXPECT_EQ(trap_->at(host), het::access::none) << "at home, and not shown";
	EXPECT_EQ(begin(whole(0), kernel_mode::read_write), 0) << "readers keep their copies";
	EXPECT_EQ(begin(whole(1), kernel_mode::read_write), GPUVM_ESTATE) << "two writers";
	ASSERT_EQ(end(whole(0)), 0);
	EXPECT_EQ(state(0), device_alone(0));
	ASSERT_EQ(end(whole(1)), 0);
}

TEST_F(kernels, strict_takes_the_pages_before_it_copies)
{
	l.strict = true;
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	EXPECT_EQ(trap_->at(host), het::access::none);
	EXPECT_EQ(touch_at(host), verdict::wait);
	trap_->forget();
	ASSERT_EQ(end(whole()), 0);
	EXPECT_TRUE(trap_->was_woken(host)) << "who waited for the end";
	EXPECT_EQ(linked().fast.load(), 0u);
}

TEST_F(kernels, one_that_is_still_at_work_is_waited_for)
{
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	int event, err;
	ASSERT_EQ(end_kernel(linked(), whole(), make_pending(l, 0, &event, &err)), 0);
	EXPECT_EQ(device_[0]->waits, 0);
	EXPECT_EQ(touch_at(host), verdict::done);
	EXPECT_EQ(device_[0]->waits, 1);
	EXPECT_EQ(linked().pending, nullptr);
}

TEST_F(kernels, one_that_is_given_up_after_it_ran_loses_its_copy)
{
	ASSERT_EQ(run(whole(), kernel_mode::read_only), 0);
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	EXPECT_EQ(abandon_kernel(linked(), whole(), kernel_mode::read_write, true), 0);
	EXPECT_EQ(state(0).valid, host_copy);
	EXPECT_FALSE(is_open(linked(), 0));
	ASSERT_EQ(run(whole(), kernel_mode::read_write), 0);
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	EXPECT_EQ(abandon_kernel(linked(), whole(), kernel_mode::read_write, true), GPUVM_EDEVALLOC) << "its only copy";
}

// Another kernel of the device is at work: what it writes is there, and nothing else is brought.
TEST_F(kernels, one_behind_others_begins_if_nothing_travels)
{
	usage behind = whole();
	behind.behind = true;
	for (bool strict : {false, true}) {
		l.strict = strict;
		for (kernel_mode mode : {kernel_mode::read_only, kernel_mode::read_write}) {
			ASSERT_EQ(touch_at(chunk_at(2), true), verdict::done);
			trap_->forget();
			int writes = device_[0]->writes;
			EXPECT_EQ(begin(behind, mode), GPUVM_ESTATE) << "the host has written a chunk";
			EXPECT_FALSE(is_open(linked(), 0));
			EXPECT_TRUE(trap_->log.empty());
			ASSERT_EQ(begin(whole(), kernel_mode::write_only), 0);
			EXPECT_EQ(begin(behind, mode), 0);
			EXPECT_EQ(device_[0]->writes, writes) << "the first kernel writes them all";
			ASSERT_EQ(end(whole()), 0);
			ASSERT_EQ(end(whole()), 0);
			EXPECT_EQ(state(2), device_alone(0));
		}
	}
	ASSERT_EQ(touch_at(chunk_at(2), true), verdict::done);
	ASSERT_EQ(begin(behind, kernel_mode::write_only), 0) << "it needs none";
	ASSERT_EQ(end(whole()), 0);
	ASSERT_EQ(touch_at(chunk_at(2), true), verdict::done);
	usage some = part(chunk_bytes / 2, 2 * chunk_bytes);
	some.behind = true;
	EXPECT_EQ(begin(some, kernel_mode::write_only), GPUVM_ESTATE) << "it needs what lies around them";
}

TEST_F(kernels, an_end_says_whose_it_is)
{
	l.strict = true;
	usage reads = whole(), writes = whole();
	reads.ends = ending::reader;
	writes.ends = ending::writer;
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	usage behind = whole();
	behind.behind = true;
	ASSERT_EQ(begin(behind, kernel_mode::read_only), 0);
	EXPECT_EQ(touch_at(host), verdict::wait);
	memset(buffer_[0].data(), 'k', bytes);
	ASSERT_EQ(end(writes), 0);
	EXPECT_EQ(touch_at(host), verdict::done) << "nobody writes any longer";
	EXPECT_EQ(host[0], 'k');
	EXPECT_TRUE(is_open(linked(), 0));
	EXPECT_EQ(end(writes), GPUVM_ESTATE) << "it has ended";
	ASSERT_EQ(end(reads), 0);
	EXPECT_FALSE(is_open(linked(), 0));
}

// Of two writers of the same bytes the host hears when both have ended.
TEST_F(kernels, an_end_is_left_to_the_next_writer)
{
	l.strict = true;
	for (bool all : {true, false}) {
		usage u = all ? whole() : part(chunk_bytes, 2 * chunk_bytes);
		usage ends = u, behind = u;
		ends.ends = ending::writer;
		behind.behind = true;
		ASSERT_EQ(begin(u, kernel_mode::write_only), 0);
		ASSERT_EQ(begin(behind, kernel_mode::read_write), 0);
		ASSERT_EQ(begin(behind, kernel_mode::read_write), 0);
		chunk_state before = state(1);
		for (int i = 0; i < 2; i++) {
			ASSERT_EQ(end(ends), 0);
			EXPECT_EQ(state(1), before);
			EXPECT_EQ(touch_at(chunk_at(1)), verdict::wait);
			EXPECT_EQ(linked().chunks[1].writer, 1);
		}
		ASSERT_EQ(end(ends), 0);
		EXPECT_EQ(state(1), device_alone(0));
		EXPECT_EQ(end(ends), GPUVM_ESTATE);
		EXPECT_FALSE(is_open(linked(), 0));
	}
}

// The second of two writers, behind the first one, will not end.
class given_up : public kernels
{
      protected:
	int give_up_second(const usage &u, bool ran)
	{
		usage ends = u, behind = u;
		ends.ends = ending::writer;
		behind.behind = true;
		EXPECT_EQ(begin(u, kernel_mode::write_only), 0);
		EXPECT_EQ(begin(behind, kernel_mode::read_write), 0);
		memset(buffer_[0].data(), 'k', bytes);
		EXPECT_EQ(end(ends), 0);
		int err = abandon_kernel(linked(), behind, kernel_mode::read_write, ran);
		EXPECT_FALSE(is_open(linked(), 0));
		return err;
	}
};

TEST_F(given_up, the_first_one_has_its_end_all_the_same)
{
	l.strict = true;
	for (const usage &u : {whole(), part(chunk_bytes, 2 * chunk_bytes)}) {
		ASSERT_EQ(give_up_second(u, false), 0);
		EXPECT_EQ(state(1), device_alone(0));
		ASSERT_EQ(touch_at(chunk_at(1), true), verdict::done);
		EXPECT_EQ(*chunk_at(1), 'k');
		*chunk_at(1) = 'h';
	}
}

TEST_F(given_up, what_it_has_spoilt_was_nowhere_else)
{
	l.strict = true;
	EXPECT_EQ(give_up_second(whole(), true), GPUVM_EDEVALLOC) << "the host's bytes are older";
}

// All is home, and valid on the device: a writer begins there as fast as where the host has nothing.
TEST_F(kernels, one_after_foreseen_ends_asks_nobody)
{
	l.foresight = foresight_kind::always;
	ASSERT_EQ(run(whole(), kernel_mode::read_write), 0);
	for (unsigned round = 0; round < 3; round++) {
		for (size_t c = 0; c < chunks; c++)
			ASSERT_EQ(touch_at(chunk_at(c)), verdict::done);
		ASSERT_EQ(run(whole(), kernel_mode::read_write), 0);
	}
	EXPECT_EQ(state(1), (chunk_state{host_copy | device_copy(0), het::access::read}));
	EXPECT_EQ(linked().fast.load(), device_copy(0));
	trap_->forget();
	ASSERT_EQ(begin(whole(), kernel_mode::read_write), 0);
	EXPECT_TRUE(trap_->log.empty());
	EXPECT_EQ(linked().chunks[1].writer, 0) << "on the fast path";
	memset(buffer_[0].data(), 'k', bytes);
	ASSERT_EQ(touch_at(chunk_at(2), true), verdict::done);
	EXPECT_EQ(linked().fast.load(), 0u) << "the host has a chunk of its own";
	ASSERT_EQ(end(whole()), 0);
	for (size_t c : {1, 2})
		EXPECT_EQ(*chunk_at(c), 'k') << "what the kernel wrote is home, and not lost";
}

} // namespace
