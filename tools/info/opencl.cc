// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/opencl.h"

#include "info/profile.h"

#include <cstdint>
#include <dlfcn.h>
#include <vector>

namespace info
{

namespace
{

// These few names of OpenCL's stable ABI are wanted, so that this compiles where its headers are not.
using handle = void *;
using get_platforms = int32_t (*)(uint32_t, handle *, uint32_t *);
using get_devices = int32_t (*)(handle, uint64_t type, uint32_t, handle *, uint32_t *);
using get_info = int32_t (*)(handle, uint32_t what, size_t, void *, size_t *);

enum : uint32_t {
	platform_version = 0x0901,
	platform_name = 0x0902,
	device_type = 0x1000,
	device_max_compute_units = 0x1002,
	device_global_mem_size = 0x101f,
	device_name = 0x102b,
	driver_version = 0x102d,
};
constexpr uint64_t type_cpu = 2, type_gpu = 4, type_accelerator = 8, all_types = 0xffffffff;

struct loader {
	get_platforms platforms;
	get_devices devices;
	get_info platform_info, device_info;

	bool open(std::string &why)
	{
		void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			why = dlerror();
			return false;
		}
		why = "libOpenCL.so.1 lacks a function";
		return find(library, "clGetPlatformIDs", platforms) && find(library, "clGetDeviceIDs", devices) &&
		       find(library, "clGetPlatformInfo", platform_info) &&
		       find(library, "clGetDeviceInfo", device_info);
	}

      private:
	template <typename F> static bool find(void *library, const char *name, F &f)
	{
		f = reinterpret_cast<F>(dlsym(library, name));
		return f != nullptr;
	}
};

std::string text(get_info ask, handle of, uint32_t what)
{
	size_t size = 0;
	if (ask(of, what, 0, nullptr, &size) || !size)
		return "?";
	std::vector<char> answer(size + 1);
	return ask(of, what, size, answer.data(), nullptr) ? "?" : std::string(answer.data());
}

template <typename T> T value(get_info ask, handle of, uint32_t what)
{
	T answer{};
	ask(of, what, sizeof(answer), &answer, nullptr);
	return answer;
}

const char *name_of_type(uint64_t type)
{
	return type & type_gpu ? "GPU" : type & type_cpu ? "CPU" : type & type_accelerator ? "accelerator" : "other";
}

json device(const loader &l, handle d)
{
	const std::string name = text(l.device_info, d, device_name), driver = text(l.device_info, d, driver_version);
	return {{"name", name},
		{"type", name_of_type(value<uint64_t>(l.device_info, d, device_type))},
		{"driver", driver},
		{"profile", profile_of(name, driver)},
		{"memory_bytes", value<uint64_t>(l.device_info, d, device_global_mem_size)},
		{"compute_units", value<uint32_t>(l.device_info, d, device_max_compute_units)}};
}

json platform(const loader &l, handle p)
{
	uint32_t count = 0;
	l.devices(p, all_types, 0, nullptr, &count);
	std::vector<handle> found(count);
	if (count && l.devices(p, all_types, count, found.data(), nullptr))
		found.clear();
	json devices = json::array();
	for (handle d : found)
		devices.push_back(device(l, d));
	return {{"name", text(l.platform_info, p, platform_name)},
		{"version", text(l.platform_info, p, platform_version)},
		{"devices", devices}};
}

json look_at_platforms()
{
	loader l;
	std::string why;
	if (!l.open(why))
		return {{"loader", false}, {"error", why}};
	uint32_t count = 0;
	l.platforms(0, nullptr, &count);
	std::vector<handle> found(count);
	if (count && l.platforms(count, found.data(), nullptr))
		found.clear();
	json platforms = json::array();
	for (handle p : found)
		platforms.push_back(platform(l, p));
	return {{"loader", true}, {"platforms", platforms}};
}

} // namespace

json opencl()
{
	finding f = in_child(look_at_platforms);
	if (f.answer.is_null())
		return {{"loader", false}, {"error", "a driver could not be asked: " + f.ending}};
	return f.answer;
}

} // namespace info
