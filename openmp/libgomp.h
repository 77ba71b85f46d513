// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// GCC's libgomp and a plug-in of its speak so with each other, and mkoffload's images for nvptx look so. The numbers
// are those of GCC's gomp-constants.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace het_omp
{

// libgomp takes a plug-in of its own version alone: that of GCC 12, or the next one, which hands over what a program
// requires of its devices, and a table for functions that devices call on the host.
constexpr unsigned version_of_gcc_12 = 1, version_of_gcc_13 = 2;

constexpr unsigned can_openmp_4 = 1 << 2; // a capability; OpenACC would be another
constexpr int kind_nvptx = 5;

// The lower half of an image's version is the device's.
constexpr unsigned image_version = 1;
constexpr unsigned image_version_of(unsigned version)
{
	return version & 0xffff;
}

// A program requires these of its devices. The last says that it has target regions at all.
constexpr unsigned requires_unified_address = 0x10, has_target_regions = 0x200;

// The arguments of a launch are words up to a null one. Each has a device, a name, and a value, or its value is the
// next word.
constexpr intptr_t argument_device = (1 << 7) - 1, argument_of_all_devices = 0, argument_has_next = 1 << 7;
constexpr intptr_t argument_name = 0xff << 8, argument_teams = 1 << 8, argument_threads = 2 << 8;
constexpr int argument_value_shift = 16;

struct ptx_object {
	const char *text;
	size_t nbytes;
};

struct image_function {
	const char *name;
	unsigned short dimensions[3]; // of OpenACC
};

struct image_data {
	const ptx_object *objects;
	unsigned nobjects;
	const char *const *variables;
	unsigned nvariables;
	const image_function *functions;
	unsigned nfunctions;
};

// A function is anything of the plug-in's that start points to; a variable lies from start to end.
struct table_entry {
	uintptr_t start, end;
};

} // namespace het_omp

extern "C" {
[[noreturn]] void GOMP_PLUGIN_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
void GOMP_PLUGIN_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *GOMP_PLUGIN_malloc(size_t nbytes) __attribute__((malloc));
void GOMP_PLUGIN_target_task_completion(void *task);
}
