// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A device that is several can be parted into them: each has memory of its own, which is what OpenCL calls an affinity
// domain. The runtime's devices are not parted further.
#pragma once

#include "device.h"

#include <array>

namespace hetcl
{

inline constexpr std::array<cl_device_partition_property, 3> how_parted = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
									   CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};

cl_device_partition_property ways_to_part(const _cl_device_id &d);
cl_device_affinity_domain domains_of(const _cl_device_id &d);
cl_uint most_parts(const _cl_device_id &d);

} // namespace hetcl
