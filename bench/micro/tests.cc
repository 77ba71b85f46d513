// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/tests.h"

namespace micro
{

std::span<const test> all_tests()
{
	static const test tests[] = {
		{"latency", "dependent loads of global memory over footprints", test_latency},
		{"local-latency", "dependent loads of local memory", test_local_latency},
		{"constant-latency", "dependent loads of constant memory over footprints", test_constant_latency},
		{"texture-latency", "dependent loads through textures over footprints", test_texture_latency},
		{"bandwidth", "global memory: read, write, both, in three orders, against threads", test_bandwidth},
		{"texture-bandwidth", "global memory through textures: read in three orders, against threads",
		 test_texture_bandwidth},
		{"cache-bandwidth", "the last cache: random reads and writes, against threads", test_cache_bandwidth},
		{"gather", "spread reads and writes in a row, and the other way round", test_gather},
		{"strides", "reads of neighbouring threads that are farther and farther apart", test_strides},
		{"coherent", "groups of threads that go from one group of words to the next", test_coherent},
		{"apex", "APEX-MAP: reads with more or less locality in time and space", test_apex},
		{"locality", "coherent access with more or less locality in time and space", test_locality},
		{"arithmetic", "latency and rate of operations by type", test_arithmetic},
		{"homogeneity", "random reads and arithmetic, to compare devices by", test_homogeneity},
		{"roofline", "arithmetic and memory together, one kernel for all points", test_roofline},
		{"local-bandwidth", "local memory: read, against threads", test_local_bandwidth},
		{"banks", "local memory: conflicts by stride", test_banks},
		{"warp", "threads that execute together, by divergence", test_warp},
		{"atomics", "atomic operations and plain ones: on own words, and on shared ones", test_atomics},
		{"resident", "groups that a device has room for at once", test_resident},
		{"clock", "how fast the clock runs while all units are busy", test_clock},
		{"launch", "a launch and the wait for it, by the host's clock", test_launch},
		{"transfers", "blocking copies of pageable and pinned memory, by size and direction", test_transfers},
		{"together", "copies in both directions, and of several devices, at the same time", test_together},
		{"examples", "programs in stages, and what the figures before predict of each", test_examples},
	};
	return tests;
}

} // namespace micro
