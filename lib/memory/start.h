// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This starts the library: its devices, its trap, its page source, its threads.
#pragma once

#include "dev/device.h"

#include <gpuvm.h>
#include <memory>

namespace het
{

// One of the calls below has succeeded, in this process.
bool is_started();

// Implements gpuvm_init() and gpuvm_init_devices().
int init_library(unsigned ndevs, const gpuvm_device *devs, int flags);
// The same with devices of the caller's: @make is called for 0 … ndevs-1, under the structure lock.
using device_maker = std::unique_ptr<device> (*)(const void *arg, unsigned i, unsigned lanes, int *error);
int init_library(unsigned ndevs, device_maker make, const void *arg, int flags);

} // namespace het
