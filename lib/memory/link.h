// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays come and go.
#pragma once

#include "memory/array.h"

namespace het
{

int link_array(void *hostptr, size_t nbytes, unsigned device, void *devbuf, bool on_device, bool may_copy);

// @device may be all_devices.
int unlink_array(void *hostptr, unsigned device);
inline constexpr unsigned all_devices = ~0u;

struct unlink_options {
	bool sync = false;    // bring data home that only devices have
	bool discard = false; // the memory is about to be freed
	bool force = false;   // even while kernels use the array
};

// Removes every link, and the array. Structure lock held.
int unlink_all(array &a, unlink_options o);

} // namespace het
