// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_stops.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace het;
using namespace het::rt;

namespace
{

// A driver whose copies are made when their stream is waited for. Launches fail.
struct driver {
	std::set<cu_stream> at_work;
	uintptr_t handles = 0;
	std::vector<void *> host_memory;

	~driver()
	{
		for (void *p : host_memory)
			free(p);
	}
	template <class T> int make(T *handle)
	{
		*handle = reinterpret_cast<T>(++handles);
		return 0;
	}
} *simulated;

cuda_calls simulated_calls()
{
	cuda_calls cu = {};
	cu.stream_priorities = [](int *least, int *greatest) {
		*least = *greatest = 0;
		return 0;
	};
	cu.create_stream = [](cu_stream *s, unsigned, int) { return simulated->make(s); };
	cu.create_event = [](cu_event *e, unsigned) { return simulated->make(e); };
	cu.allocate = [](cu_deviceptr *p, size_t) {
		*p = ++simulated->handles << 32;
		return 0;
	};
	cu.allocate_host = [](void **p, size_t size, unsigned) {
		*p = simulated->host_memory.emplace_back(calloc(1, size));
		return 0;
	};
	cu.copy_to_device = [](cu_deviceptr, const void *, size_t, cu_stream s) {
		simulated->at_work.insert(s);
		return 0;
	};
	cu.record_event = [](cu_event, cu_stream) { return 0; };
	cu.stream_waits = [](cu_stream, cu_event, unsigned) { return 0; };
	cu.synchronize_stream = [](cu_stream s) {
		simulated->at_work.erase(s);
		return 0;
	};
	cu.launch = [](cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cu_stream,
		       void **, void **) { return int(cu_error_launch_failed); };
	return cu;
}

} // namespace

// The memory that is copied there is the next launch's, on another stream perhaps.
TEST(cuda_stops, what_is_given_back_is_not_on_its_way)
{
	driver d;
	simulated = &d;
	const cuda_calls cu = simulated_calls();
	cuda_lanes lanes(cu);
	cuda_sheets sheets(cu);
	cuda_stops stops(cu, lanes, sheets);
	cuda_stop_kernel kernel;
	kernel.offsets = {0};
	kernel.sizes = {sizeof(cu_deviceptr)};
	const std::atomic<int8_t> level{-3};
	ticket t;
	t.lane = 1;
	t.level = &level;
	t.room = 1 << 20;
	ASSERT_EQ(lanes.open(t.lane), 0);
	void *no_values[1];
	const cuda_grid g = {{4, 1, 1}, {32, 1, 1}, 0, no_values, nullptr};
	cuda_stopped *s = stops.take(kernel, g, t, 2);
	ASSERT_TRUE(s);
	EXPECT_EQ(stops.begin(*s, t), cu_error_launch_failed);
	EXPECT_FALSE(t.may_have_run);
	EXPECT_FALSE(d.at_work.contains(lanes.at(t.lane).stream));
	EXPECT_EQ(stops.take(kernel, g, t, 2), s);
}
