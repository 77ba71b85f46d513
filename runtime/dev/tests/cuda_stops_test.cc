// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_stops.h"

#include "dev/tests/cuda_machine.h"

#include <gtest/gtest.h>

using namespace het;
using namespace het::rt;

namespace
{

struct machine : simulated_driver {
	const cuda_calls cu = simulated_calls();
	cuda_lanes lanes{cu};
	cuda_sheets sheets{cu};
	cuda_stops stops{cu, lanes, sheets};
	cuda_stop_kernel kernel;
};

} // namespace

// The memory that is copied there is the next launch's, on another stream perhaps.
TEST(cuda_stops, what_is_given_back_is_not_on_its_way)
{
	machine &m = make_for_good<machine>();
	m.launch_error = cu_error_launch_failed;
	m.kernel.offsets = {0};
	m.kernel.sizes = {sizeof(cu_deviceptr)};
	const std::atomic<int8_t> level{-3};
	ticket t;
	t.lane = 1;
	t.level = &level;
	t.room = 1 << 20;
	ASSERT_EQ(m.lanes.open(t.lane), 0);
	void *no_values[1];
	const cuda_grid g = {{4, 1, 1}, {32, 1, 1}, 0, no_values, nullptr};
	cuda_stopped *s = m.stops.take(m.kernel, g, t, 2);
	ASSERT_TRUE(s);
	EXPECT_EQ(m.stops.begin(*s, t), cu_error_launch_failed);
	EXPECT_FALSE(t.may_have_run);
	EXPECT_FALSE(m.at_work.contains(m.lanes.at(t.lane).stream));
	EXPECT_EQ(m.stops.take(m.kernel, g, t, 2), s);
}
