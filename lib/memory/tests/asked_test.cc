// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Foresight over a trap that tells what the host does with pages that it may use: what is asked in place stays mapped,
// and what the trap answers is believed.
#include "memory/kernel.h"
#include "memory/stats.h"
#include "small_library.h"

namespace het
{

namespace
{

class asked : public small_library
{
      protected:
	asked()
	{
		l.foresight = foresight_kind::eager;
		trap_->can.tells_accesses = true;
		EXPECT_EQ(link(), 0);
	}

	// A kernel that fills the array; it comes home.
	void kernel()
	{
		ASSERT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_write), 0);
		memset(buffer_at(0), ++filled_, bytes);
		trap_->forget();
		ASSERT_EQ(end_kernel(linked(), whole(), nullptr, nullptr, {.may = true}), 0);
	}
	// The host uses all of it, and is caught where it must not.
	void use_all(access how)
	{
		for (size_t c = 0; c < chunks; c++) {
			if (trap_->at(chunk_at(c)) < how) {
				EXPECT_EQ(touch_at(chunk_at(c), how == access::write), verdict::done);
			}
			trap_->use(chunk_at(c), how);
			EXPECT_EQ(*l.source->alias(linked().offset + c * chunk_bytes), char(filled_));
		}
	}
	void rounds(unsigned n, access how = access::read)
	{
		for (unsigned i = 0; i < n; i++) {
			kernel();
			use_all(how);
		}
	}
	uint64_t in_vain() const { return l.stats.foreseen_in_vain_bytes.get(); }

	int filled_ = 0;
};

TEST_F(asked, nothing_is_taken_away)
{
	rounds(6);
	ASSERT_GT(trap_->questions, 0);
	size_t questions = trap_->questions;
	uint64_t touches = l.stats.touches.get(), used = l.stats.foreseen_used_bytes.get();
	for (int i = 0; i < 100; i++) {
		kernel();
		EXPECT_EQ(trap_->count("take"), 0) << i;
		use_all(access::read);
	}
	EXPECT_GT(trap_->questions, questions + 10);
	EXPECT_LT(trap_->questions, questions + 2 * 100);
	EXPECT_EQ(l.stats.touches.get(), touches);
	EXPECT_GE(l.stats.foreseen_used_bytes.get() - used, 80 * bytes);
	EXPECT_EQ(in_vain(), 0);
}

TEST_F(asked, one_that_stops_is_left)
{
	rounds(50);
	size_t home = device_[0]->bytes_read;
	for (int i = 0; i < 50; i++)
		kernel();
	EXPECT_LE(device_[0]->bytes_read - home, 12 * bytes);
	EXPECT_GT(in_vain(), 0);
	EXPECT_EQ(trap_->at(chunk_at(0)), access::none);
}

TEST_F(asked, what_is_written_no_longer_is_found_out)
{
	rounds(50, access::write);
	for (size_t c = 0; c < chunks; c++)
		EXPECT_EQ(state(c).host, access::write);
	uint64_t touches = l.stats.touches.get();
	rounds(300, access::read);
	for (size_t c = 0; c < chunks; c++)
		EXPECT_EQ(state(c).host, access::read);
	EXPECT_EQ(l.stats.touches.get(), touches);
}

TEST_F(asked, a_trap_that_does_not_tell_is_not_asked)
{
	trap_->can.tells_accesses = false;
	rounds(40);
	EXPECT_EQ(trap_->questions, 0);
}

} // namespace

} // namespace het
