// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes the device `cuda` over a given table of entry points: make_cuda_device() does so with the loaded library, and
// tests do with another one.
#pragma once

#include "dev/cuda_api.h"
#include "dev/device.h"

namespace het
{

std::unique_ptr<device> make_cuda_device(const cuda_api &api, unsigned index, void *handle, unsigned lanes, int *error);

} // namespace het
