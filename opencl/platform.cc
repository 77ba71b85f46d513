// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The loader finds the platform here. None of these calls starts the runtime, so a program that uses another platform
// pays for the opening of two libraries, and no more.
#include "platform.h"

#include "calls.h"
#include "command_buffer.h"
#include "host_pointer.h"
#include "info.h"
#include "languages.h"

#include <cstring>

namespace hetcl
{

namespace
{

const info_row<_cl_platform_id> rows[] = {
	{CL_PLATFORM_PROFILE, [](const _cl_platform_id &, answer &a) { return a.text("FULL_PROFILE"); }},
	{CL_PLATFORM_VERSION,
	 [](const _cl_platform_id &, answer &a) { return a.text("OpenCL 3.0 libhet " HET_VERSION); }},
	{CL_PLATFORM_NUMERIC_VERSION,
	 [](const _cl_platform_id &, answer &a) { return a.value(cl_version{CL_MAKE_VERSION(3, 0, 0)}); }},
	{CL_PLATFORM_NAME, [](const _cl_platform_id &, answer &a) { return a.text("libhet"); }},
	{CL_PLATFORM_VENDOR, [](const _cl_platform_id &, answer &a) { return a.text("libhet"); }},
	{CL_PLATFORM_EXTENSIONS, [](const _cl_platform_id &, answer &a) { return a.text("cl_khr_icd"); }},
	{CL_PLATFORM_EXTENSIONS_WITH_VERSION,
	 [](const _cl_platform_id &, answer &a) { return a.value(named("cl_khr_icd", CL_MAKE_VERSION(1, 0, 0))); }},
	// Times are those of CLOCK_MONOTONIC, on the host and of events.
	{CL_PLATFORM_HOST_TIMER_RESOLUTION, [](const _cl_platform_id &, answer &a) { return a.value(cl_ulong{1}); }},
	{CL_PLATFORM_ICD_SUFFIX_KHR, [](const _cl_platform_id &, answer &a) { return a.text("HET"); }},
};

// What the program, or the loader, finds by its name alone.
struct extension_call {
	const char *name;
	void *function;
};

const extension_call extension_calls[] = {
	{"clIcdGetPlatformIDsKHR", reinterpret_cast<void *>(hetcl::clGetPlatformIDs)},
	{"clGetPlatformInfo", reinterpret_cast<void *>(hetcl::clGetPlatformInfo)},
	{"clSetKernelArgHostPointerHET", reinterpret_cast<void *>(set_host_pointer)},
	{"clForgetHostPointerHET", reinterpret_cast<void *>(forget_host_pointer)},
	{"clCreateCommandBufferKHR", reinterpret_cast<void *>(hetcl::clCreateCommandBufferKHR)},
	{"clRetainCommandBufferKHR", reinterpret_cast<void *>(hetcl::clRetainCommandBufferKHR)},
	{"clReleaseCommandBufferKHR", reinterpret_cast<void *>(hetcl::clReleaseCommandBufferKHR)},
	{"clFinalizeCommandBufferKHR", reinterpret_cast<void *>(hetcl::clFinalizeCommandBufferKHR)},
	{"clEnqueueCommandBufferKHR", reinterpret_cast<void *>(hetcl::clEnqueueCommandBufferKHR)},
	{"clGetCommandBufferInfoKHR", reinterpret_cast<void *>(hetcl::clGetCommandBufferInfoKHR)},
	{"clCommandBarrierWithWaitListKHR", reinterpret_cast<void *>(hetcl::clCommandBarrierWithWaitListKHR)},
	{"clCommandCopyBufferKHR", reinterpret_cast<void *>(hetcl::clCommandCopyBufferKHR)},
	{"clCommandCopyBufferRectKHR", reinterpret_cast<void *>(hetcl::clCommandCopyBufferRectKHR)},
	{"clCommandCopyBufferToImageKHR", reinterpret_cast<void *>(hetcl::clCommandCopyBufferToImageKHR)},
	{"clCommandCopyImageKHR", reinterpret_cast<void *>(hetcl::clCommandCopyImageKHR)},
	{"clCommandCopyImageToBufferKHR", reinterpret_cast<void *>(hetcl::clCommandCopyImageToBufferKHR)},
	{"clCommandFillBufferKHR", reinterpret_cast<void *>(hetcl::clCommandFillBufferKHR)},
	{"clCommandFillImageKHR", reinterpret_cast<void *>(hetcl::clCommandFillImageKHR)},
	{"clCommandNDRangeKernelKHR", reinterpret_cast<void *>(hetcl::clCommandNDRangeKernelKHR)},
};

} // namespace

_cl_platform_id &platform()
{
	static auto *p = new _cl_platform_id;
	return *p;
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	if ((!platforms && !count) || (platforms && !room))
		return CL_INVALID_VALUE;
	if (platforms)
		*platforms = &platform();
	if (count)
		*count = 1;
	return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t room, void *value, size_t *size)
{
	if (p && !is_valid(p))
		return CL_INVALID_PLATFORM;
	return look_up(rows, what, platform(), {room, value, size});
}

cl_int clUnloadCompiler()
{
	return CL_SUCCESS;
}

cl_int clUnloadPlatformCompiler(cl_platform_id p)
{
	return is_valid(p) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

void *clGetExtensionFunctionAddress(const char *name)
{
	if (!name)
		return nullptr;
	for (const extension_call &c : extension_calls) {
		if (!strcmp(name, c.name))
			return c.function;
	}
	return nullptr;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id p, const char *name)
{
	return is_valid(p) && name ? hetcl::clGetExtensionFunctionAddress(name) : nullptr;
}

} // namespace hetcl

// The loader looks for the first, and finds the others by it.
extern "C" __attribute__((visibility("default"))) cl_int
clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	return hetcl::clGetPlatformIDs(num_entries, platforms, num_platforms);
}

extern "C" __attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name)
{
	return hetcl::clGetExtensionFunctionAddress(name);
}
