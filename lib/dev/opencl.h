// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes the device `opencl` over a given table of entry points: make_opencl_device() does so with the loaded library,
// and tests do with one in which some calls fail.
#pragma once

#include "dev/device.h"
#include "dev/opencl_api.h"

namespace het
{

std::unique_ptr<device> make_opencl_device(const opencl_api &api, unsigned index, void *handle, unsigned lanes,
					   int *error);

} // namespace het
