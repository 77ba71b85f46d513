// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The platform has one device, which stands for all devices that the runtime has.
//
// The loader calls clGetDeviceIDs() when it sorts its platforms, before it can answer anybody's clGetPlatformIDs(). The
// runtime asks the loader for OpenCL devices, so it is started by the first call that needs it, and by none of those.
// While it starts, this platform has no devices: it would find itself.
#include "objects.h"

#include <cstring>

namespace icd
{

namespace
{

cl_icd_dispatch make_table()
{
	cl_icd_dispatch t = {};
#define ICD_SET(call) t.call = call;
	ICD_CALLS(ICD_SET)
#undef ICD_SET
	return t;
}

thread_local bool starting = false;

_cl_platform_id the_platform;
_cl_device_id the_device;

// Describes what all devices can do.
het_device_info describe()
{
	het_device *devices[31];
	uint32_t count = 0;
	het_device_info least = {};
	if (start() || het_devices(31, devices, &count))
		return least;
	for (uint32_t i = 0; i < count && i < 31; i++) {
		het_device_info info = {};
		info.size = sizeof info;
		het_device_describe(devices[i], &info);
		if (!i || info.group_size < least.group_size)
			least = info;
	}
	return least;
}

} // namespace

const cl_icd_dispatch table = make_table();

int start()
{
	uint32_t count = 0;
	starting = true;
	int err = het_devices(0, nullptr, &count);
	starting = false;
	return err;
}

cl_int code_of(int err)
{
	switch (err) {
	case 0:
		return CL_SUCCESS;
	case HET_ENOMEM:
		return CL_OUT_OF_HOST_MEMORY;
	case HET_EBUILD:
	case HET_ENODEV:
		return CL_BUILD_PROGRAM_FAILURE;
	case HET_ENAME:
		return CL_INVALID_KERNEL_NAME;
	case HET_EWAIT:
		return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	case HET_EDEVICE:
		return CL_OUT_OF_RESOURCES;
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int answer(const void *bytes, size_t n, size_t room, void *value, size_t *size)
{
	if (value && room < n)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, bytes, n);
	if (size)
		*size = n;
	return CL_SUCCESS;
}

cl_int answer(const char *text, size_t room, void *value, size_t *size)
{
	return answer(text, strlen(text) + 1, room, value, size);
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	if (platforms && room)
		*platforms = &the_platform;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info what, size_t room, void *value, size_t *size)
{
	switch (what) {
	case CL_PLATFORM_NAME:
	case CL_PLATFORM_VENDOR:
		return answer("libhet", room, value, size);
	case CL_PLATFORM_VERSION:
		return answer("OpenCL 1.2 libhet", room, value, size);
	case CL_PLATFORM_PROFILE:
		return answer("FULL_PROFILE", room, value, size);
	case CL_PLATFORM_EXTENSIONS:
		return answer("cl_khr_icd", room, value, size);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return answer("HET", room, value, size);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int clGetDeviceIDs(cl_platform_id, cl_device_type type, cl_uint room, cl_device_id *devices, cl_uint *count)
{
	if (starting || !(type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_ACCELERATOR)))
		return CL_DEVICE_NOT_FOUND;
	if (devices && room)
		*devices = &the_device;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, size_t room, void *value, size_t *size)
{
	cl_device_type type = CL_DEVICE_TYPE_ACCELERATOR;
	cl_uint units;
	size_t group;
	cl_platform_id platform = &the_platform;
	switch (what) {
	case CL_DEVICE_NAME:
		return answer("all devices of libhet", room, value, size);
	case CL_DEVICE_VENDOR:
		return answer("libhet", room, value, size);
	case CL_DEVICE_VERSION:
		return answer("OpenCL 1.2 libhet", room, value, size);
	case CL_DEVICE_TYPE:
		return answer(&type, sizeof type, room, value, size);
	case CL_DEVICE_PLATFORM:
		// NOLINTNEXTLINE(bugprone-sizeof-expression): a handle
		return answer(&platform, sizeof platform, room, value, size);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		units = describe().units;
		return answer(&units, sizeof units, room, value, size);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		group = describe().group_size;
		return answer(&group, sizeof group, room, value, size);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_context clCreateContext(const cl_context_properties *, cl_uint ndevices, const cl_device_id *devices,
			   void (*)(const char *, const void *, size_t, void *), void *, cl_int *error)
{
	if (ndevices != 1 || *devices != &the_device)
		return give<_cl_context>(nullptr, CL_INVALID_DEVICE, error);
	if (int err = start())
		return give<_cl_context>(nullptr, code_of(err), error);
	return give(new _cl_context, CL_SUCCESS, error);
}

cl_int clRetainContext(cl_context c)
{
	return retain(c, CL_INVALID_CONTEXT);
}

cl_int clReleaseContext(cl_context c)
{
	return release(c, CL_INVALID_CONTEXT);
}

} // namespace icd

// The loader looks for the first, and finds the others by it.
#define ICD_EXPORT extern "C" __attribute__((visibility("default")))

ICD_EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	return icd::clGetPlatformIDs(num_entries, platforms, num_platforms);
}

ICD_EXPORT void *clGetExtensionFunctionAddress(const char *name)
{
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return reinterpret_cast<void *>(clIcdGetPlatformIDsKHR);
	return strcmp(name, "clGetPlatformInfo") ? nullptr : reinterpret_cast<void *>(icd::clGetPlatformInfo);
}
