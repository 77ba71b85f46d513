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
	};
	return tests;
}

} // namespace micro
