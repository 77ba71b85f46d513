// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "interface.h"

#include "libgomp.h"

// Plug-ins call it for functions that a device calls on the host, which came with GCC 13.
extern "C" __attribute__((weak)) void GOMP_PLUGIN_target_rev(...);

namespace het_omp
{

bool is_gcc_13_or_newer()
{
	return GOMP_PLUGIN_target_rev != nullptr;
}

unsigned interface_version()
{
	return is_gcc_13_or_newer() ? version_of_gcc_13 : version_of_gcc_12;
}

const char *told_variable()
{
	return is_gcc_13_or_newer() ? "__gomp_additional_icvs" : "__gomp_device_num";
}

// The driver gives host and devices one address space. Memory that both use without maps, and calls from a device to
// the host, are what libhet has not.
bool can_fulfil(unsigned required)
{
	return !(required & ~(requires_unified_address | has_target_regions));
}

} // namespace het_omp
