// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/pci.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace het
{

int numa_node_of_pci(unsigned domain, unsigned bus, unsigned device, unsigned function)
{
	char path[80];
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.%x/numa_node", domain, bus, device, function);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	char text[16] = {};
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 ? atoi(text) : -1;
}

} // namespace het
