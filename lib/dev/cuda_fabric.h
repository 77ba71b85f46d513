// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bulk copies of CUDA devices over several paths, as lib/paths says: between the host and one of them its own PCIe link
// may be helped by those of its peers, and between two of them the link that joins them by a third device, or by the
// way through the host.
#pragma once

#include "dev/cuda_copy.h"
#include "dev/cuda_member.h"
#include "dev/device.h"

#include <span>

namespace het
{

// Copies the pieces, over as many paths as are worth it, and waits for them. False says that nothing was done,
// and that the caller copies by itself. The result is in *error.
bool copy_over_fabric(cuda_member &m, paths::direction d, std::span<const transfer> pieces, int *error,
		      uint64_t patience_ns = beginning_ns);
// The same from one device to another.
bool copy_between(cuda_member &to, cu_deviceptr dst, cuda_member &from, cu_deviceptr src, size_t size, int *error);

// These are device::report_paths() and device::seconds_to_write().
size_t report_fabric(const cuda_member &m, std::span<path_report> room);
double expected_seconds(const cuda_member &m, size_t bytes);

} // namespace het
