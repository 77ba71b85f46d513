// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "device.h"

#include "calls.h"
#include "joint_limits.h"
#include "languages.h"
#include "platform.h"
#include "selection.h"
#include "sub_devices.h"

#include <CL/cl_ext.h>
#include <algorithm>
#include <cstring>
#include <ctime>
#include <dlfcn.h>

namespace hetcl
{

namespace
{

het_device_info describe(het_device *d)
{
	het_device_info info = {};
	info.size = sizeof(info);
	het_device_describe(d, &info);
	return info;
}

std::vector<het_device *> devices_of_runtime()
{
	uint32_t n = 0;
	if (het_devices(0, nullptr, &n))
		return {};
	std::vector<het_device *> all(n);
	het_devices(n, all.data(), &n);
	return all;
}

// Devices without a compiler for OpenCL C would be refused by programs that build for all they see.
bool compiles(het_device *d)
{
	cl_bool compiler = CL_FALSE;
	het_device_opencl_info(d, CL_DEVICE_COMPILER_AVAILABLE, sizeof(compiler), &compiler, nullptr);
	return compiler;
}

std::vector<cl_device_id> make_devices()
{
	std::vector<het_device *> members = devices_of_runtime();
	std::erase_if(members, [](het_device *d) { return !compiles(d); });
	std::vector<cl_device_id> made;
	for (shown s : members.empty() ? std::vector<shown>() : shown_devices()) {
		if (s == shown::joint)
			made.push_back(make_device(members, true));
		for (het_device *m : s == shown::single ? members : std::vector<het_device *>())
			made.push_back(make_device({m}, false));
	}
	return made;
}

// A loader that sorts its platforms asks for their devices, in a function of its own, before anybody can use them. What
// a program asks comes from the program, or out of the loader's call of the same name.
bool is_loader_itself(const void *caller)
{
	Dl_info from = {};
	if (!dladdr(caller, &from) || !from.dli_fname)
		return false;
	const std::string_view path = from.dli_fname;
	const bool is_loader = path.substr(path.find_last_of('/') + 1).starts_with("libOpenCL.so");
	return is_loader && !(from.dli_sname && !strcmp(from.dli_sname, "clGetDeviceIDs"));
}

std::string joined(const std::vector<cl_name_version> &l)
{
	std::string s;
	for (const cl_name_version &n : l)
		s += (s.empty() ? "" : " ") + std::string(n.name);
	return s;
}

std::string version_text(const char *what, unsigned version)
{
	return std::string(what) + " " + std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) +
	       " libhet " HET_VERSION;
}

cl_device_exec_capabilities capabilities()
{
	return CL_EXEC_KERNEL | (host_device() ? CL_EXEC_NATIVE_KERNEL : 0);
}

using device = _cl_device_id;

// The commands of a buffer are enqueued one by one, so they may do what others may.
constexpr cl_device_command_buffer_capabilities_khr command_buffer_capabilities =
	CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
	CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR;

// What is neither text nor list is in the table of limits.
const info_row<device> rows[] = {
	{CL_DEVICE_NAME, [](const device &d, answer &a) { return a.text(d.name); }},
	{CL_DEVICE_VENDOR, [](const device &, answer &a) { return a.text("libhet"); }},
	{CL_DRIVER_VERSION, [](const device &, answer &a) { return a.text(HET_VERSION); }},
	{CL_DEVICE_PROFILE, [](const device &, answer &a) { return a.text("FULL_PROFILE"); }},
	{CL_DEVICE_VERSION, [](const device &d, answer &a) { return a.text(version_text("OpenCL", version_of(d))); }},
	{CL_DEVICE_NUMERIC_VERSION,
	 [](const device &d, answer &a) {
		 return a.value(cl_version{CL_MAKE_VERSION(version_of(d) / 100, version_of(d) / 10 % 10, 0)});
	 }},
	{CL_DEVICE_OPENCL_C_VERSION,
	 [](const device &d, answer &a) { return a.text(version_text("OpenCL C", language_version_of(d))); }},
	{CL_DEVICE_OPENCL_C_ALL_VERSIONS, [](const device &d, answer &a) { return a.list(languages_of(d)); }},
	{CL_DEVICE_OPENCL_C_FEATURES, [](const device &d, answer &a) { return a.list(features_of(d)); }},
	{CL_DEVICE_EXTENSIONS, [](const device &d, answer &a) { return a.text(joined(extensions_of(d))); }},
	{CL_DEVICE_EXTENSIONS_WITH_VERSION, [](const device &d, answer &a) { return a.list(extensions_of(d)); }},
	{CL_DEVICE_EXECUTION_CAPABILITIES, [](const device &, answer &a) { return a.value(capabilities()); }},
	{CL_DEVICE_PLATFORM, [](const device &, answer &a) { return a.value(cl_platform_id{&platform()}); }},
	{CL_DEVICE_REFERENCE_COUNT,
	 [](const device &d, answer &a) { return a.value(d.parent ? d.references.load() : 1); }},
	{CL_DEVICE_PARENT_DEVICE, [](const device &d, answer &a) { return a.value(d.parent); }},
	{CL_DEVICE_PARTITION_PROPERTIES, [](const device &d, answer &a) { return a.value(ways_to_part(d)); }},
	{CL_DEVICE_PARTITION_AFFINITY_DOMAIN, [](const device &d, answer &a) { return a.value(domains_of(d)); }},
	{CL_DEVICE_PARTITION_MAX_SUB_DEVICES, [](const device &d, answer &a) { return a.value(most_parts(d)); }},
	{CL_DEVICE_PARTITION_TYPE,
	 [](const device &d, answer &a) { return d.parent ? a.value(how_parted) : a.nothing(); }},
	{CL_DEVICE_BUILT_IN_KERNELS, [](const device &, answer &a) { return a.text(""); }},
	{CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, [](const device &, answer &a) { return a.nothing(); }},
	{CL_DEVICE_IL_VERSION, [](const device &, answer &a) { return a.text(""); }},
	{CL_DEVICE_ILS_WITH_VERSION, [](const device &, answer &a) { return a.nothing(); }},
	{CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
	 [](const device &, answer &a) { return a.value(command_buffer_capabilities); }},
	{CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR,
	 [](const device &, answer &a) { return a.value(cl_command_queue_properties{0}); }},
	// The form is prescribed, with a day of the year; it has passed none.
	{CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED,
	 [](const device &, answer &a) { return a.text("v0000-01-01-00"); }},
};

} // namespace

cl_device_id make_device(std::vector<het_device *> members, bool is_joint)
{
	auto *d = new _cl_device_id;
	for (het_device *m : members)
		d->name += (d->name.empty() ? "" : " + ") + std::string(describe(m).name);
	if (is_joint)
		d->name = (members.size() == 1 ? "joint: " : std::to_string(members.size()) + " joint: ") + d->name;
	d->members = std::move(members);
	for (unsigned i = 0; i < 3; i++)
		d->most_items[i] = limit(*d, CL_DEVICE_MAX_WORK_ITEM_SIZES, i);
	d->group_size = limit(*d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	d->local_memory = limit(*d, CL_DEVICE_LOCAL_MEM_SIZE);
	d->allocation = limit(*d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	d->alignment = std::max<size_t>(1, limit(*d, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
	d->has_partial_groups = limit(*d, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT);
	return d;
}

std::span<const cl_device_id> devices()
{
	static const auto *all = new std::vector<cl_device_id>(make_devices());
	return *all;
}

het_device *host_device()
{
	static het_device *const host = [] {
		for (het_device *d : devices_of_runtime()) {
			if (describe(d).kind == HET_DEVICE_HOST)
				return d;
		}
		return static_cast<het_device *>(nullptr);
	}();
	return host;
}

cl_int clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count)
{
	constexpr cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
					 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
	if (p && !is_valid(p))
		return CL_INVALID_PLATFORM;
	if (type != CL_DEVICE_TYPE_ALL && (!type || type & ~known))
		return CL_INVALID_DEVICE_TYPE;
	if ((!ids && !count) || (ids && !room))
		return CL_INVALID_VALUE;
	// Answering starts all drivers, and most programs that the loader sorts for want another platform.
	const bool is_asked_in_vain = is_loader_itself(__builtin_return_address(0));
	const std::span<const cl_device_id> all = is_asked_in_vain ? std::span<const cl_device_id>() : devices();
	cl_uint found = 0;
	for (cl_device_id d : all) {
		const bool is_default = d == all[0] && type & CL_DEVICE_TYPE_DEFAULT;
		if (!is_default && type != CL_DEVICE_TYPE_ALL && !(limit(*d, CL_DEVICE_TYPE) & type))
			continue;
		if (ids && found < room)
			ids[found] = d;
		found++;
	}
	if (count)
		*count = found;
	return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t room, void *value, size_t *size)
{
	if (!is_valid(d))
		return CL_INVALID_DEVICE;
	answer a(room, value, size);
	cl_int result = CL_SUCCESS;
	return answer_limit(*d, what, a, &result) ? result : look_up(rows, what, *d, a);
}

cl_int clGetHostTimer(cl_device_id d, cl_ulong *host)
{
	timespec now = {};
	if (!is_valid(d))
		return CL_INVALID_DEVICE;
	if (!host)
		return CL_INVALID_VALUE;
	clock_gettime(CLOCK_MONOTONIC, &now);
	*host = cl_ulong(now.tv_sec) * 1000000000 + cl_ulong(now.tv_nsec);
	return CL_SUCCESS;
}

// Events tell times of the same clock.
cl_int clGetDeviceAndHostTimer(cl_device_id d, cl_ulong *device_time, cl_ulong *host)
{
	if (is_valid(d) && !device_time)
		return CL_INVALID_VALUE;
	const cl_int err = hetcl::clGetHostTimer(d, host);
	if (!err)
		*device_time = *host;
	return err;
}

} // namespace hetcl
