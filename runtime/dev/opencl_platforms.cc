// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_platforms.h"

#include "os/log.h"
#include "os/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <memory>

namespace het::rt
{

namespace
{

constexpr char usual_vendors[] = "/etc/OpenCL/vendors";

// A platform that stands on this library would ask it for devices: it would wait for itself.
bool is_our_own(const opencl_calls &cl, cl_platform_id platform)
{
	constexpr cl_uint platform_suffix = 0x0920; // is CL_PLATFORM_ICD_SUFFIX_KHR of CL/cl_ext.h
	char suffix[16] = "";
	ask(cl.get_platform_info, platform, platform_suffix, suffix);
	return !strcmp(suffix, "HET");
}

// Keeps the others at the beginning, and returns how many there are.
unsigned drop_our_own(const opencl_calls &cl, std::span<cl_platform_id> platforms)
{
	auto end =
		std::remove_if(platforms.begin(), platforms.end(), [&](cl_platform_id p) { return is_our_own(cl, p); });
	return unsigned(end - platforms.begin());
}

// Reads the name of the library that stands in a vendor's file. Returns false if there is none.
bool read_name(const char *folder, const char *file, char (&name)[256])
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	const std::unique_ptr<FILE, int (*)(FILE *)> f(fopen(path, "re"), fclose);
	if (!f || !fgets(name, sizeof(name), f.get()))
		return false;
	name[strcspn(name, "\r\n")] = 0;
	return *name;
}

// Opens a driver for the rest of the process, as the loader does, and returns how many platforms it has.
unsigned open_vendor(const char *library, std::span<cl_platform_id> room)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		inform("%s can't be opened: %s", library, dlerror());
		return 0;
	}
	auto *find = reinterpret_cast<decltype(&clGetExtensionFunctionAddress)>(
		dlsym(handle, "clGetExtensionFunctionAddress"));
	auto *list = find ? reinterpret_cast<decltype(&clGetPlatformIDs)>(find("clIcdGetPlatformIDsKHR")) : nullptr;
	cl_uint n = 0;
	if (!list || list(cl_uint(room.size()), room.data(), &n) != CL_SUCCESS)
		return 0;
	return std::min(unsigned(n), unsigned(room.size()));
}

unsigned open_vendors(const char *folder, std::span<cl_platform_id> room)
{
	unsigned count = 0;
	const std::unique_ptr<DIR, int (*)(DIR *)> d(opendir(folder), closedir);
	while (const dirent *entry = d ? readdir(d.get()) : nullptr) {
		char name[256];
		const size_t n = strlen(entry->d_name);
		const bool is_vendor = n > 4 && !strcmp(entry->d_name + n - 4, ".icd");
		if (is_vendor && count < room.size() && read_name(folder, entry->d_name, name))
			count += open_vendor(name, room.subspan(count));
	}
	return count;
}

} // namespace

unsigned find_opencl_platforms(const opencl_calls &cl, std::span<cl_platform_id> room)
{
	cl_uint n = 0;
	if (cl.get_platform_ids(cl_uint(room.size()), room.data(), &n) != CL_SUCCESS)
		return 0;
	n = std::min(n, cl_uint(room.size()));
	unsigned others = drop_our_own(cl, room.first(n));
	if (others || !n)
		return others;
	const char *folder = settings().opencl_vendors ? settings().opencl_vendors : usual_vendors;
	return drop_our_own(cl, room.first(open_vendors(folder, room)));
}

} // namespace het::rt
