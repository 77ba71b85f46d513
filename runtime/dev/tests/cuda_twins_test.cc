// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_twins.h"

#include "dev/tests/cuda_machine.h"

#include <gtest/gtest.h>

using namespace het;
using namespace het::rt;

namespace
{

struct machine : simulated_driver {
	const cuda_calls cu = simulated_calls();
	cuda_lanes lanes{cu};
	cuda_twins twins{cu, lanes};
	std::unique_ptr<device_twin> twin;
	char buffer[1024];

	machine() { EXPECT_EQ(twins.make(nullptr, sizeof buffer, twin), 0); }
	void take(unsigned lane) { EXPECT_EQ(twin->take(buffer, 0, sizeof buffer, lane), 0); }
	bool is_copied_on(unsigned lane) { return at_work.contains(lanes.at(lane).stream); }
};

} // namespace

// The launch for which it was made could not be submitted, so nobody has waited for its lane.
TEST(cuda_twins, a_copy_is_over_before_the_next_on_another_lane)
{
	machine &m = make_for_good<machine>();
	m.take(1);
	m.take(2);
	EXPECT_FALSE(m.is_copied_on(1));
	EXPECT_TRUE(m.is_copied_on(2));
}

TEST(cuda_twins, a_lane_is_not_waited_for_twice)
{
	machine &m = make_for_good<machine>();
	m.take(1);
	uint8_t changed[twin_units(sizeof m.buffer)];
	EXPECT_EQ(m.twin->compare(changed), 0); // the kernels behind the copy have ended
	m.take(2);
	EXPECT_TRUE(m.is_copied_on(1));
	m.take(2);
	EXPECT_TRUE(m.is_copied_on(2));
}
