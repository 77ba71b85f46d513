// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that begin by parts: each state of each chunk, each mode, and each order of the parts, one of which never
// begins. What has begun is as behind a begin of all; what has not is the host's, as if there were no kernel.
#include "memory/kernel.h"

#include "small_library.h"

#include <algorithm>
#include <array>

using namespace het;

namespace
{

enum class has : uint8_t { host, host_and_0, host_and_1, device_0, device_1 };
constexpr has all_states[] = {has::host, has::host_and_0, has::host_and_1, has::device_0, has::device_1};

class by_parts : public small_library
{
      protected:
	by_parts() { l.strict = true; }

	// All bytes of a chunk are letters of its own then, on the devices that have it.
	void make(const std::array<has, chunks> &states)
	{
		ASSERT_EQ(link(), 0);
		ASSERT_EQ(link(1), 0);
		for (size_t c = 0; c < chunks; c++) {
			const unsigned d = states[c] == has::host_and_1 || states[c] == has::device_1;
			const usage u = part(c * chunk_bytes, chunk_bytes, d);
			memset(chunk_at(c), int('a' + c), chunk_bytes);
			if (states[c] == has::host)
				continue;
			const bool is_writer = states[c] == has::device_0 || states[c] == has::device_1;
			const kernel_mode mode = is_writer ? kernel_mode::read_write : kernel_mode::read_only;
			ASSERT_EQ(begin_kernel(linked(), u, mode), 0);
			if (is_writer)
				memset(buffer_at(c, d), int('A' + c), chunk_bytes);
			ASSERT_EQ(end_kernel(linked(), u, nullptr), 0);
		}
		trap_->forget();
		device_[0]->bytes_written = 0;
	}
	void forget()
	{
		structure_guard g(l);
		unlink_all(l, linked(), {.force = true});
	}
	usage open_usage() const
	{
		usage u = whole();
		u.by_parts = true;
		return u;
	}
	char letter(has state, size_t c) const
	{
		return char((state == has::device_0 || state == has::device_1 ? 'A' : 'a') + c);
	}
	// The program writes there, unless it would be caught: then it waits.
	bool host_writes(size_t c, char letter)
	{
		if (trap_->at(chunk_at(c)) != het::access::write)
			return false;
		memset(chunk_at(c), letter, chunk_bytes);
		return true;
	}

	int begin(size_t c, kernel_mode mode)
	{
		return begin_part(linked(), open_usage(), mode, range_of(chunk_at(c) + chunk_bytes / 2, 1));
	}

	void run(const std::array<has, chunks> &states, kernel_mode mode, std::span<const size_t> order);
};

void by_parts::run(const std::array<has, chunks> &states, kernel_mode mode, std::span<const size_t> order)
{
	make(states);
	std::array<chunk_state, chunks> before;
	std::array<char, chunks> now;
	std::array<bool, chunks> begun = {};
	for (size_t c = 0; c < chunks; c++) {
		before[c] = state(c);
		now[c] = letter(states[c], c);
	}
	ASSERT_EQ(begin_kernel(linked(), open_usage(), mode), 0);
	EXPECT_TRUE(trap_->log.empty());
	EXPECT_EQ(device_[0]->bytes_written, 0u);
	for (const size_t c : order) {
		EXPECT_EQ(state(c), before[c]) << "parts of other chunks have begun";
		if (host_writes(c, '!')) {
			now[c] = '!';
		} else if (writes(mode)) {
			EXPECT_EQ(touch_at(chunk_at(c), true), verdict::wait);
		}
		// A byte amid the chunk is enough, and a second time changes nothing.
		for (unsigned times = 0; times < 2; times++)
			ASSERT_EQ(begin(c, mode), 0);
		begun[c] = true;
		EXPECT_TRUE(mode == kernel_mode::write_only || buffer_at(c)[0] == now[c]);
		EXPECT_LE(trap_->at(chunk_at(c)), writes(mode) ? het::access::none : het::access::read);
		if (writes(mode)) {
			EXPECT_EQ(touch_at(chunk_at(c)), verdict::wait);
			memset(buffer_at(c), now[c] = 'k', chunk_bytes);
		}
	}
	ASSERT_EQ(end_kernel(linked(), open_usage(), nullptr), 0);
	for (size_t c = 0; c < chunks; c++) {
		const bool was_there = before[c].device_valid(0);
		if (writes(mode) && (begun[c] || was_there)) {
			EXPECT_EQ(state(c), (chunk_state{device_copy(0), het::access::none}));
		} else if (begun[c]) {
			EXPECT_TRUE(state(c).device_valid(0));
		} else {
			EXPECT_EQ(state(c).valid, before[c].valid);
		}
		EXPECT_EQ(linked().chunks[c].writer, 0);
	}
	for (size_t c = 0; c < chunks; c++) {
		ASSERT_EQ(touch_at(chunk_at(c)), verdict::done);
		EXPECT_EQ(chunk_at(c)[17], now[c]);
	}
	EXPECT_FALSE(is_open(linked(), 0));
	forget();
}

TEST_F(by_parts, each_state_and_order)
{
	std::array<size_t, chunks> order = {0, 1, 2, 3};
	do {
		for (kernel_mode mode : {kernel_mode::read_only, kernel_mode::write_only, kernel_mode::read_write}) {
			for (size_t i = 0; i < std::size(all_states) * std::size(all_states); i++) {
				const has one = all_states[i % 5], other = all_states[i / 5];
				run({one, other, all_states[(i + i / 5) % 5], one}, mode, {order.data(), 3});
				if (HasFailure())
					FAIL() << "mode " << int(mode) << ", states " << i << ", order " << order[0]
					       << order[1] << order[2];
			}
		}
	} while (std::next_permutation(order.begin(), order.end()));
}

// What has begun is the kernel's still, and the rest is the host's.
TEST_F(by_parts, one_part_fails)
{
	make({has::host, has::host, has::host, has::host});
	ASSERT_EQ(begin_kernel(linked(), open_usage(), kernel_mode::read_write), 0);
	ASSERT_EQ(begin(0, kernel_mode::read_write), 0);
	device_[0]->fails = true;
	EXPECT_EQ(begin(1, kernel_mode::read_write), GPUVM_EDEVALLOC);
	device_[0]->fails = false;
	EXPECT_EQ(touch_at(chunk_at(1)), verdict::wait) << "its pages are taken before it is copied";
	memset(buffer_at(0), 'k', chunk_bytes);
	ASSERT_EQ(end_kernel(linked(), open_usage(), nullptr), 0);
	for (size_t c = 0; c < chunks; c++) {
		ASSERT_EQ(touch_at(chunk_at(c)), verdict::done);
		EXPECT_EQ(chunk_at(c)[17], c ? char('a' + c) : 'k');
	}
}

// It has spoilt what it has, and nothing else.
TEST_F(by_parts, one_is_given_up)
{
	make({has::host, has::device_1, has::host_and_0, has::host});
	ASSERT_EQ(begin_kernel(linked(), open_usage(), kernel_mode::read_write), 0);
	ASSERT_EQ(begin(0, kernel_mode::read_write), 0);
	memset(buffer_at(0), 'k', bytes);
	EXPECT_EQ(abandon_kernel(linked(), open_usage(), kernel_mode::read_write, true), 0);
	for (size_t c = 0; c < chunks; c++) {
		EXPECT_FALSE(state(c).device_valid(0));
		ASSERT_EQ(touch_at(chunk_at(c)), verdict::done);
		EXPECT_EQ(chunk_at(c)[17], char((c == 1 ? 'A' : 'a') + c));
	}
}

// They have bytes of their own in one chunk: who comes second does not copy over what the first one has written.
TEST_F(by_parts, two_kernels_share_a_chunk)
{
	make({has::host, has::host, has::host, has::host});
	usage first = part(0, chunk_bytes + 100), second = part(chunk_bytes + 100, 2 * chunk_bytes);
	first.by_parts = second.by_parts = true;
	for (const usage &u : {first, second})
		ASSERT_EQ(begin_kernel(linked(), u, kernel_mode::read_write), 0);
	ASSERT_EQ(begin_part(linked(), first, kernel_mode::read_write, first.part), 0);
	memset(buffer_at(0), '1', first.part.size());
	ASSERT_EQ(begin_part(linked(), second, kernel_mode::read_write, second.part), 0);
	EXPECT_EQ(buffer_at(1)[99], '1');
	EXPECT_EQ(buffer_at(1)[100], 'b');
	memset(buffer_at(1) + 100, '2', second.part.size());
	for (const usage &u : {first, second})
		ASSERT_EQ(end_kernel(linked(), u, nullptr), 0);
	ASSERT_EQ(touch_at(chunk_at(1)), verdict::done);
	EXPECT_EQ(chunk_at(1)[99], '1');
	EXPECT_EQ(chunk_at(1)[100], '2');
	EXPECT_EQ(state(3).valid, device_copy(0)) << "the second one has its first bytes";
}

// Of chunks with bytes of others it has its own from the begin on, whatever these do with theirs meanwhile.
TEST_F(by_parts, a_reader_beside_others)
{
	make({has::host, has::host, has::host, has::host});
	usage u = part(100, 3 * chunk_bytes);
	u.by_parts = true;
	ASSERT_EQ(begin_kernel(linked(), u, kernel_mode::read_only), 0);
	for (size_t c = 0; c < chunks; c++)
		EXPECT_EQ(trap_->at(chunk_at(c)), c % 3 ? het::access::write : het::access::read);
	EXPECT_EQ(buffer_at(0)[100], 'a');
	EXPECT_EQ(buffer_at(3)[99], 'd');
	const usage beside = part(0, 100, 1);
	ASSERT_EQ(begin_kernel(linked(), beside, kernel_mode::read_write), 0);
	memset(buffer_at(0, 1), '!', 100);
	device_[0]->bytes_written = 0;
	ASSERT_EQ(begin_part(linked(), u, kernel_mode::read_only, u.part), 0);
	EXPECT_EQ(device_[0]->bytes_written, 2 * chunk_bytes) << "what is between";
	EXPECT_EQ(buffer_at(1)[17], 'b');
	ASSERT_EQ(end_kernel(linked(), beside, nullptr), 0);
	EXPECT_EQ(state(0), (chunk_state{device_copy(1), het::access::none}));
	ASSERT_EQ(end_kernel(linked(), u, nullptr), 0);
}

} // namespace
