// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Several launches' joint writers in one chunk: whose bytes are taken from where.
#include "memory/joint.h"

#include "memory/kernel.h"
#include "small_library.h"

using namespace het;

namespace
{

// A launch on two devices, of which one writes the first bytes of a part and the other the rest. What is told of it is
// in units, so that the first one holds bytes of both.
class noted_launch final : public joint_notes
{
      public:
	static constexpr size_t unit = 256, first_ones = 64;

	explicit noted_launch(range part) : part_(part) {}

	usage on(unsigned device) const { return {device, part_, false, joint_kind::noted, this}; }
	range part() const { return part_; }
	range bytes_of(unsigned device) const
	{
		uintptr_t cut = part_.begin + first_ones;
		return device ? range{cut, part_.end} : range{part_.begin, cut};
	}
	range written(const usage &u, range bytes) override
	{
		return intersect(bytes, u.device ? part_ : range{part_.begin, part_.begin + unit});
	}

      private:
	const range part_;
};

class joint_writers : public small_library
{
      protected:
	joint_writers()
	{
		for (unsigned d : {0, 1})
			EXPECT_EQ(link(d), 0);
	}

	// A kernel's work on a device.
	void write(range bytes, unsigned device, char value)
	{
		memset(buffer_at(0, device) + (bytes.begin - reinterpret_cast<uintptr_t>(host)), value, bytes.size());
	}
	void begin(const usage &u) { ASSERT_EQ(begin_kernel(linked(), u, kernel_mode::read_write), 0); }
	// Of a launch that has nothing else in the array, where it counts.
	void run_exact(range bytes, unsigned device, char value)
	{
		const usage u = {device, bytes, false, joint_kind::exact, &u};
		begin(u);
		write(bytes, device, value);
		ASSERT_EQ(end_joint(linked(), u.launch), 0);
	}
	// Device 1 has all of the chunk, and the host at least the launch's part.
	void begin_where_one_has_all(noted_launch &launch)
	{
		begin(whole(1));
		ASSERT_EQ(end_kernel(linked(), whole(1), nullptr), 0);
		for (unsigned d : {0, 1}) {
			begin(launch.on(d));
			write(launch.bytes_of(d), d, 'n');
		}
		run_exact(range_of(host + 2 * page, page), 1, 'e');
		ASSERT_EQ(state(0).valid, device_copy(1));
	}
	void check(const noted_launch &launch)
	{
		ASSERT_EQ(touch_at(host), verdict::done); // fragments come home
		ASSERT_EQ(touch_at(host), verdict::done);
		std::string expected(chunk_bytes, 'h');
		memset(expected.data() + (launch.part().begin - reinterpret_cast<uintptr_t>(host)), 'n',
		       launch.part().size());
		memset(expected.data() + 2 * page, 'e', page);
		EXPECT_EQ(std::mismatch(expected.begin(), expected.end(), host).second - host, chunk_bytes)
			<< "the first byte that is wrong";
	}

	noted_launch launch{range_of(host, page + 123)};
};

TEST_F(joint_writers, a_device_that_has_the_whole_chunk_is_no_source_of_what_it_writes_in_it)
{
	begin_where_one_has_all(launch);
	ASSERT_EQ(end_joint(linked(), &launch, &launch), 0);
	check(launch);
}

TEST_F(joint_writers, nor_is_it_where_the_host_touches_the_chunk_before_their_end)
{
	begin_where_one_has_all(launch);
	ASSERT_EQ(touch_at(host + 2 * page), verdict::done);
	ASSERT_EQ(end_joint(linked(), &launch, &launch), 0);
	check(launch);
}

TEST_F(joint_writers, nor_where_another_owners_writers_end_before)
{
	noted_launch other(range_of(host + 4 * page, page));
	begin_where_one_has_all(launch);
	for (unsigned d : {0, 1})
		begin(other.on(d)); // it writes nothing new
	ASSERT_EQ(end_joint(linked(), &other, &other), 0);
	ASSERT_EQ(end_joint(linked(), &launch, &launch), 0);
	check(launch);
}

} // namespace
