// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/tests.h"

namespace micro
{

std::span<const test> all_tests()
{
	static const test tests[] = {
		{"latency", "dependent loads of global memory over footprints", test_latency},
		{"local-latency", "dependent loads of local memory", test_local_latency},
		{"bandwidth", "global memory: read, write, both, in three orders, against threads", test_bandwidth},
		{"banks", "local memory: conflicts by stride", test_banks},
		{"warp", "threads that execute together, by divergence", test_warp},
		{"atomics", "additions to global memory: to own words, and to shared ones", test_atomics},
		{"launch", "a launch and the wait for it, by the host's clock", test_launch},
		{"transfers", "blocking copies of pageable memory, by size and direction", test_transfers},
	};
	return tests;
}

} // namespace micro
