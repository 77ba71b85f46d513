// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

namespace het
{

// Returns the NUMA node of a PCI device, -1 if the system does not tell.
int numa_node_of_pci(unsigned domain, unsigned bus, unsigned device, unsigned function);

} // namespace het
