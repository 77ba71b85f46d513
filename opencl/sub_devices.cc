// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sub_devices.h"

#include "calls.h"

namespace hetcl
{

namespace
{

bool can_be_parted(const _cl_device_id &d)
{
	return d.members.size() > 1;
}

// Returns whether the properties ask for what can be had.
bool are_possible(const _cl_device_id &d, const cl_device_partition_property *p)
{
	const bool is_known = p && p[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && p[1] && !p[2];
	return is_known && can_be_parted(d) &&
	       (p[1] == CL_DEVICE_AFFINITY_DOMAIN_NUMA || p[1] == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
}

} // namespace

cl_device_partition_property ways_to_part(const _cl_device_id &d)
{
	return can_be_parted(d) ? CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN : 0;
}

cl_device_affinity_domain domains_of(const _cl_device_id &d)
{
	return can_be_parted(d) ? CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE : 0;
}

cl_uint most_parts(const _cl_device_id &d)
{
	return can_be_parted(d) ? cl_uint(d.members.size()) : 0;
}

cl_int clCreateSubDevices(cl_device_id d, const cl_device_partition_property *properties, cl_uint room,
			  cl_device_id *parts, cl_uint *count)
{
	if (!is_valid(d))
		return CL_INVALID_DEVICE;
	const auto n = cl_uint(d->members.size());
	if (!are_possible(*d, properties) || (!parts && !count) || (parts && room < n))
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; parts && i < n; i++) {
		parts[i] = make_device({d->members[i]}, false);
		parts[i]->parent = d;
	}
	if (count)
		*count = n;
	return CL_SUCCESS;
}

// Devices of the platform are not counted.
cl_int clRetainDevice(cl_device_id d)
{
	return is_valid(d) && !d->parent ? CL_SUCCESS : retain(d, CL_INVALID_DEVICE);
}

cl_int clReleaseDevice(cl_device_id d)
{
	return is_valid(d) && !d->parent ? CL_SUCCESS : release(d, CL_INVALID_DEVICE);
}

} // namespace hetcl
