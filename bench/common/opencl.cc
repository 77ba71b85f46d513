// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/opencl.h"

#include "common/device_error.h"
#include "common/format.h"

#include <stdexcept>

namespace bench
{

namespace
{

std::string device_text(cl_device_id id, cl_device_info what)
{
	size_t n = 0;
	cl_check(clGetDeviceInfo(id, what, 0, nullptr, &n), "clGetDeviceInfo");
	std::string text(n, '\0');
	cl_check(clGetDeviceInfo(id, what, n, text.data(), nullptr), "clGetDeviceInfo");
	return text.c_str();
}

std::string platform_name(cl_platform_id id)
{
	char text[256] = "";
	cl_check(clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof(text) - 1, text, nullptr), "clGetPlatformInfo");
	return text;
}

std::vector<cl_platform_id> platforms()
{
	cl_uint n = 0;
	if (clGetPlatformIDs(0, nullptr, &n) != CL_SUCCESS || n == 0) // it is -1001 where there is no ICD
		return {};
	std::vector<cl_platform_id> ids(n);
	cl_check(clGetPlatformIDs(n, ids.data(), nullptr), "clGetPlatformIDs");
	return ids;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform)
{
	cl_uint n = 0;
	cl_int err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n);
	if (err == CL_DEVICE_NOT_FOUND || n == 0)
		return {};
	cl_check(err, "clGetDeviceIDs");
	std::vector<cl_device_id> ids(n);
	cl_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids.data(), nullptr), "clGetDeviceIDs");
	return ids;
}

// NVIDIA's OpenCL says that a queue is invalid when its device is lost, and -9999 of the access that lost it.
device_error::kind kind_of(cl_int err)
{
	constexpr cl_int nvidia_illegal_access = -9999;
	switch (err) {
	case CL_MEM_OBJECT_ALLOCATION_FAILURE:
	case CL_OUT_OF_RESOURCES:
	case CL_OUT_OF_HOST_MEMORY:
	case CL_INVALID_BUFFER_SIZE:
		return device_error::kind::memory;
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_COMPILER_NOT_AVAILABLE:
	case CL_INVALID_KERNEL_NAME:
		return device_error::kind::build;
	case CL_DEVICE_NOT_AVAILABLE:
	case CL_INVALID_COMMAND_QUEUE:
	case nvidia_illegal_access:
		return device_error::kind::lost;
	default:
		return device_error::kind::other;
	}
}

std::string build_log(cl_program program, cl_device_id device)
{
	size_t n = 0;
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &n);
	std::string log(n, '\0');
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, n, log.data(), nullptr);
	return log.c_str();
}

} // namespace

void cl_check(cl_int err, const char *call)
{
	if (err != CL_SUCCESS)
		throw device_error(kind_of(err), format("%s: OpenCL error %d", call, err));
}

std::vector<cl_device_info_text> list_cl_devices()
{
	std::vector<cl_device_info_text> all;
	for (cl_platform_id platform : platforms()) {
		for (cl_device_id id : devices_of(platform)) {
			cl_device_type type = 0;
			cl_check(clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof(type), &type, nullptr), "clGetDeviceInfo");
			all.push_back(
				{id, device_text(id, CL_DEVICE_NAME), platform_name(platform),
				 device_text(id, CL_DEVICE_VERSION) + ", driver " + device_text(id, CL_DRIVER_VERSION),
				 (type & CL_DEVICE_TYPE_CPU) != 0});
		}
	}
	return all;
}

cl_device_id find_cl_device(const std::string &text)
{
	for (const auto &d : list_cl_devices())
		if (text.starts_with(d.name))
			return d.id;
	throw std::runtime_error("OpenCL lists no such device: " + text);
}

cl_program_owner build_cl_program(cl_context context, cl_device_id device, const std::string &source,
				  const char *options)
{
	const char *text = source.c_str();
	cl_int err;
	cl_program_owner program(clCreateProgramWithSource(context, 1, &text, nullptr, &err));
	cl_check(err, "clCreateProgramWithSource");
	err = clBuildProgram(program.get(), 1, &device, options, nullptr, nullptr);
	if (err != CL_SUCCESS)
		throw device_error(
			err == CL_OUT_OF_HOST_MEMORY ? device_error::kind::memory : device_error::kind::build,
			format("clBuildProgram: OpenCL error %d\n%s", err, build_log(program.get(), device).c_str()));
	return program;
}

} // namespace bench
