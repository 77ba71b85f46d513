// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is said to be unchanged since a moment is so, whatever kernels and the host have done.
#include "memory/changes.h"

#include "memory/exact_copy.h"
#include "memory/kernel.h"
#include "memory/noted_changes.h"
#include "small_library.h"

#include <random>

using namespace het;

namespace
{

class changes : public small_library
{
      protected:
	void SetUp() override
	{
		ASSERT_EQ(link(0), 0);
		ASSERT_EQ(link(1), 0);
	}

	// Notes of a kernel that wrote these chunks of four.
	class writes_of final : public write_notes
	{
	      public:
		writes_of(const char *begin, unsigned mask) : begin_(begin), mask_(mask) {}
		bool wrote(range r) override
		{
			return mask_ >> ((r.begin - reinterpret_cast<uintptr_t>(begin_)) / chunk_bytes) & 1;
		}

	      private:
		const char *begin_;
		const unsigned mask_;
	};

	void run(kernel_mode mode, usage u, char what, unsigned mask = 15)
	{
		ASSERT_EQ(begin_kernel(linked(), u, mode), 0);
		writes_of notes(host, mask);
		for (size_t c = 0; c < chunks && mode != kernel_mode::read_only; c++) {
			const range r = intersect(u.part, range_of(chunk_at(c), chunk_bytes));
			if (!r.empty() && (mode != kernel_mode::read_write_noted || mask >> c & 1))
				memset(buffer_[u.device].data() + (r.begin - reinterpret_cast<uintptr_t>(host)), what,
				       r.size());
		}
		u.ends = mode == kernel_mode::read_only ? ending::reader : ending::writer;
		ASSERT_EQ(end_kernel(linked(), u, nullptr, mode == kernel_mode::read_write_noted ? &notes : nullptr),
			  0);
	}
	void host_writes(size_t c, char what)
	{
		ASSERT_EQ(touch_at(chunk_at(c), true), verdict::done);
		*alias_of(linked(), reinterpret_cast<uintptr_t>(chunk_at(c))) = what;
	}
	void exact_write(size_t at, size_t n, char what)
	{
		caller_guard g(linked());
		visit v(linked(), g);
		ASSERT_EQ(copy_exactly(linked(), g, range_of(host + at, n), std::string(n, what).data(), true), 0);
	}

	uint32_t take()
	{
		const uint32_t moment = take_moment();
		caller_guard g(linked());
		watch_changes(linked(), moment);
		return moment;
	}
	// Tells, a bit for each chunk, which are not known to be unchanged.
	unsigned changed_since(uint32_t moment)
	{
		unsigned mask = 0;
		caller_guard g(linked());
		for (size_t c = 0; c < chunks; c++) {
			const range r = range_of(chunk_at(c), chunk_bytes);
			const uintptr_t end = unchanged_until(linked(), r, moment);
			EXPECT_TRUE(end == r.begin || end == r.end);
			mask |= unsigned(end == r.begin) << c;
		}
		return mask;
	}
	// Returns the bytes of a chunk, from whoever has them.
	std::string contents(size_t c)
	{
		const chunk_state s = state(c);
		const char *at = s.host_valid()      ? alias_of(linked(), reinterpret_cast<uintptr_t>(chunk_at(c)))
				 : s.device_valid(0) ? buffer_at(c, 0)
						     : buffer_at(c, 1);
		return {at, chunk_bytes};
	}
};

TEST_F(changes, nothing_is_known_before_it_is_asked_for)
{
	run(kernel_mode::read_write, whole(), 'a');
	caller_guard g(linked());
	EXPECT_EQ(unchanged_until(linked(), range_of(host, bytes), 1000), reinterpret_cast<uintptr_t>(host));
}

TEST_F(changes, what_a_kernel_writes_counts)
{
	run(kernel_mode::read_write, whole(), 'a');
	uint32_t m = take();
	EXPECT_EQ(changed_since(m), 0u);
	run(kernel_mode::read_only, whole(), 0);
	run(kernel_mode::read_only, whole(1), 0);
	EXPECT_EQ(changed_since(m), 0u);
	run(kernel_mode::read_write, part(chunk_bytes, 10), 'b');
	EXPECT_EQ(changed_since(m), 2u);
	run(kernel_mode::write_only, part(2 * chunk_bytes, chunk_bytes + 1, 1), 'c');
	EXPECT_EQ(changed_since(m), 14u);
	m = take();
	EXPECT_EQ(changed_since(m), 0u);
	caller_guard g(linked());
	EXPECT_EQ(unchanged_until(linked(), range_of(host + 100, 3 * chunk_bytes), m),
		  reinterpret_cast<uintptr_t>(host) + 100 + 3 * chunk_bytes);
}

// Kernels of the whole array may end without a lock.
TEST_F(changes, kernels_that_own_everything_count)
{
	for (int k = 0; k < 4; k++)
		run(kernel_mode::read_write, whole(), 'a');
	ASSERT_EQ(linked().fast.load(), host_copy | device_copy(0));
	const uint32_t m = take();
	run(kernel_mode::read_only, whole(), 0);
	EXPECT_EQ(changed_since(m), 0u);
	run(kernel_mode::read_write, whole(), 'b');
	EXPECT_EQ(changed_since(m), 15u);
	const uint32_t later = take();
	EXPECT_EQ(changed_since(later), 0u);
	// One that tells what it wrote is asked.
	run(kernel_mode::read_write_noted, whole(), 'c', 4);
	EXPECT_EQ(changed_since(later), 4u);
}

TEST_F(changes, the_host_counts_as_long_as_it_may_write)
{
	run(kernel_mode::read_write, whole(), 'a');
	uint32_t m = take();
	ASSERT_EQ(touch_at(chunk_at(3)), verdict::done);
	EXPECT_EQ(changed_since(m), 0u) << "it was shown to be read";
	host_writes(1, 'x');
	EXPECT_EQ(changed_since(m), 2u);
	m = take();
	EXPECT_EQ(changed_since(m), 2u) << "it may write again";
	host_writes(1, 'y');
	run(kernel_mode::read_only, whole(), 0);
	EXPECT_EQ(changed_since(m), 2u) << "it may have written before that";
	m = take();
	EXPECT_EQ(changed_since(m), 0u);
}

TEST_F(changes, exact_writes_and_failed_kernels_count)
{
	run(kernel_mode::read_write, whole(), 'a');
	uint32_t m = take();
	exact_write(chunk_bytes / 2, chunk_bytes, 'x');
	EXPECT_EQ(changed_since(m), 3u);
	m = take();
	const usage u = part(3 * chunk_bytes, 10);
	ASSERT_EQ(begin_kernel(linked(), u, kernel_mode::read_write), 0);
	buffer_at(3)[0] = '?';
	(void)abandon_kernel(linked(), u, kernel_mode::read_write, true);
	EXPECT_EQ(changed_since(m), 8u);
}

// Of what comes home at a kernel's end the device's copy stays valid, as it does after a reader.
TEST_F(changes, what_comes_home_at_the_end_counts)
{
	l.foresight = foresight_kind::always;
	run(kernel_mode::read_write, whole(), 'a');
	for (int round = 0; round < 3; round++) {
		for (size_t c = 0; c < chunks; c++)
			ASSERT_EQ(touch_at(chunk_at(c)), verdict::done);
		run(kernel_mode::read_write, whole(), 'b');
	}
	const uint32_t m = take();
	EXPECT_EQ(changed_since(m), 0u);
	run(kernel_mode::read_write, whole(), 'c');
	ASSERT_EQ(state(1), (chunk_state{host_copy | device_copy(0), het::access::read}));
	EXPECT_EQ(changed_since(m), 15u);
	EXPECT_EQ(changed_since(take()), 0u);
}

TEST_F(changes, what_is_linked_anew_is_not_known)
{
	run(kernel_mode::read_write, whole(), 'a');
	const uint32_t m = take();
	ASSERT_EQ(unlink_array(l, host, all_devices), 0);
	SetUp();
	run(kernel_mode::read_only, whole(), 0);
	EXPECT_EQ(changed_since(m), 15u);
	EXPECT_EQ(changed_since(take()), 0u);
	EXPECT_EQ(changed_since(m), 15u);
}

TEST_F(changes, it_is_true_of_whatever_is_done)
{
	unsigned unchanged = 0;
	for (unsigned seed = 0; seed < 40; seed++) {
		std::mt19937 random(seed);
		l.foresight = seed % 2 ? foresight_kind::always : foresight_kind::off;
		uint32_t moment = take();
		std::string then[chunks];
		for (size_t c = 0; c < chunks; c++)
			then[c] = contents(c);
		for (int k = 0; k < 40; k++) {
			const char what = char(random());
			const size_t at = random() % (bytes - 1), n = 1 + random() % (bytes - at);
			const usage u = random() % 3 ? part(at, n, random() % 2) : whole(random() % 2);
			switch (random() % 7) {
			case 0:
				run(kernel_mode::read_write, u, what);
				break;
			case 1:
				run(kernel_mode::write_only, u, what);
				break;
			case 2:
				run(kernel_mode::read_write_noted, whole(random() % 2), what, random() % 16);
				break;
			case 3:
				host_writes(random() % chunks, what);
				break;
			case 4:
				exact_write(at, std::min<size_t>(n, 1000), what);
				break;
			case 5:
				ASSERT_EQ(touch_at(chunk_at(random() % chunks)), verdict::done);
				break;
			default:
				run(kernel_mode::read_only, u, 0);
			}
			// Those who may write do so.
			for (size_t c = 0; c < chunks; c++) {
				if (state(c).host == access::write && random() % 2)
					*alias_of(linked(), reinterpret_cast<uintptr_t>(chunk_at(c))) = char(random());
			}
			const unsigned changed = changed_since(moment);
			for (size_t c = 0; c < chunks; c++) {
				if (changed >> c & 1)
					continue;
				ASSERT_TRUE(contents(c) == then[c])
					<< "seed " << seed << ", step " << k << ", chunk " << c;
				unchanged++;
			}
			if (random() % 8)
				continue;
			moment = take();
			for (size_t c = 0; c < chunks; c++)
				then[c] = contents(c);
		}
	}
	EXPECT_GT(unchanged, 200u);
}

} // namespace
