// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/numa.h"

#ifndef HET_NO_NUMA
#include <numa.h>
#endif

namespace het
{

void prefer_node(range r, int node)
{
#ifndef HET_NO_NUMA
	if (node >= 0 && numa_available() >= 0 && node <= numa_max_node())
		numa_tonode_memory(r.ptr(), r.size(), node);
#else
	(void)r;
	(void)node;
#endif
}

} // namespace het
