// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The versions, features and extensions that all members of a device have, and this platform with them.
#pragma once

#include "device.h"

namespace hetcl
{

// Returns 300, or 120 where one of the drivers is older than OpenCL 3.0: what lies between demands what is optional
// again in 3.0.
unsigned version_of(const _cl_device_id &d);

// Returns the highest version of OpenCL C that is there everywhere: 120 is 1.2.
unsigned language_version_of(const _cl_device_id &d);
std::vector<cl_name_version> languages_of(const _cl_device_id &d);
std::vector<cl_name_version> features_of(const _cl_device_id &d);
std::vector<cl_name_version> extensions_of(const _cl_device_id &d);

cl_name_version named(const char *name, cl_version version);

} // namespace hetcl
