// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what the library's calls cost when no data has to move, and what linking costs.
#pragma once

#include "common/device.h"
#include "common/stats.h"

namespace bench
{

// Measures gpuvm_kernel_begin() + gpuvm_kernel_end() of an array without edges that is valid on the device and was not
// touched on the host. Returns µs a pair, one value for each of @rounds batches. With @access GPUVM_READ_WRITE the
// device stays the only owner; with GPUVM_READ_ONLY the host copy stays valid, too.
std::vector<double> begin_end_cost(device &d, size_t nbytes, int access, unsigned rounds);

struct link_cost {
	std::vector<double> link_unlink; // µs, with the array valid on the host
	std::vector<double> two_copies;  // µs for two memcpy() of it into freshly mapped 4 KiB pages
};

// Links a malloc'ed array that the host has filled.
link_cost measure_link(device &d, size_t nbytes, unsigned rounds);

struct bookkeeping_cost {
	size_t linked = 0; // in bytes
	size_t before = 0; // the library's own memory before the link
	size_t after = 0;
};

// The device buffer is address space only. Throws where there is not memory enough.
bookkeeping_cost measure_bookkeeping(size_t nbytes);

} // namespace bench
