// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/numa.h"

#include <cstdio>

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

int node_of_pci(const char *address)
{
	char path[96];
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/numa_node", address);
	FILE *f = fopen(path, "re");
	int node = -1;
	if (f) {
		if (fscanf(f, "%d", &node) != 1)
			node = -1;
		fclose(f);
	}
	return node;
}

} // namespace het
