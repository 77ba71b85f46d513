// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/pick.h"

#include <cstdio>

namespace het::fatbin
{

namespace
{

constexpr uint32_t native_rank = 1, spirv_rank = 2, opencl_rank = 3, cubin_rank = 1, ptx_rank = 1000;

// Tells how far the GPU is ahead of sm_NN. Returns false if it is behind, or that is none. Code for sm_90a runs on
// sm_90 alone.
bool is_ahead(uint32_t sm, const char *name, uint32_t &by)
{
	unsigned built_for = 0;
	char suffix = 0;
	if (!sm || sscanf(name, "sm_%3u%c", &built_for, &suffix) < 1 || built_for > sm)
		return false;
	by = sm - built_for;
	return !suffix || !by;
}

// Returns 0 if the image can't be used; lower ranks are better.
uint32_t rank(const image &i, const abilities &device)
{
	uint32_t ahead = 0;
	if (!i.is_there())
		return 0;
	switch (i.target) {
	case target::native:
		return device.identity && strcmp(i.name, device.identity) == 0 ? native_rank : 0;
	case target::spirv:
		return i.major < device.spirv_major || (i.major == device.spirv_major && i.minor <= device.spirv_minor)
			       ? spirv_rank
			       : 0;
	case target::opencl_c:
		return device.opencl_c ? opencl_rank : 0;
	case target::cubin: // runs on GPUs of the same major number
		return is_ahead(device.sm, i.name, ahead) && ahead <= device.sm % 10 ? cubin_rank + ahead : 0;
	case target::ptx:
		return is_ahead(device.sm, i.name, ahead) ? ptx_rank + ahead : 0;
	default:
		return 0;
	}
}

} // namespace

void make_identity(identity &made, const char *platform, const char *device, const char *driver_version)
{
	snprintf(made, sizeof(made), "%s; %s; %s", platform, device, driver_version);
}

bool pick(const container &from, const abilities &device, uint32_t skip, image &best)
{
	constexpr uint64_t none = ~uint64_t{0};
	for (uint64_t last = 0;; skip--) {
		uint64_t next = none; // holds rank, and number of the image
		for (uint32_t i = 0; i < from.nimages(); i++) {
			uint64_t r = rank(from.image(i), device), place = r << 32 | i;
			if (r && place > last && place < next)
				next = place;
		}
		if (next == none)
			return false;
		best = from.image(uint32_t(next));
		if (!skip)
			return true;
		last = next;
	}
}

void take_il_version(const char *list, abilities &device)
{
	constexpr char word[] = "SPIR-V_";
	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
		unsigned major = 0, minor = 0;
		if (sscanf(at + strlen(word), "%u.%u", &major, &minor) != 2)
			continue;
		if (major > device.spirv_major || (major == device.spirv_major && minor > device.spirv_minor)) {
			device.spirv_major = major;
			device.spirv_minor = minor;
		}
	}
}

} // namespace het::fatbin
