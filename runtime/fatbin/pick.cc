// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/pick.h"

#include <algorithm>
#include <cstdio>

namespace het::fatbin
{

namespace
{

// 0: can't be used; lower ones are better.
unsigned rank(const image &i, const abilities &device)
{
	if (!i.is_there())
		return 0;
	switch (i.target) {
	case target::native:
		return device.identity && strcmp(i.name, device.identity) == 0 ? 1 : 0;
	case target::spirv:
		return i.major < device.spirv_major || (i.major == device.spirv_major && i.minor <= device.spirv_minor)
			       ? 2
			       : 0;
	case target::opencl_c:
		return device.opencl_c ? 3 : 0;
	default:
		return 0;
	}
}

constexpr unsigned worst_rank = 3;

} // namespace

void make_identity(identity &made, const char *platform, const char *device, const char *driver_version)
{
	snprintf(made, sizeof(made), "%s; %s; %s", platform, device, driver_version);
}

bool pick(const container &from, const abilities &device, uint32_t skip, image &best)
{
	for (unsigned wanted = 1; wanted <= worst_rank; wanted++) {
		for (uint32_t i = 0; i < from.nimages(); i++) {
			best = from.image(i);
			if (rank(best, device) == wanted && skip-- == 0)
				return true;
		}
	}
	return false;
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
