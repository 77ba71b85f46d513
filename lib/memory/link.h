// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays come and go here.
#pragma once

#include "core/range.h"

namespace het
{

struct array;
struct library;

struct link_options {
	bool on_device = false; // the device's copy is the valid one
	bool may_copy = false;  // what can't be adopted is copied whole
	bool managed = false;   // array::managed
};

int link_array(library &l, void *hostptr, size_t nbytes, unsigned device, void *devbuf, link_options o);
// Links in the process's library.
int link_array(void *hostptr, size_t nbytes, unsigned device, void *devbuf, link_options o);

// @device may be all_devices.
int unlink_array(library &l, void *hostptr, unsigned device);
inline constexpr unsigned all_devices = ~0u;

// Unlinks an array of the runtime's (array::managed) in the process's library. Returns 0 if there is none any longer,
// and GPUVM_ESTATE without a word while a kernel uses it.
int unlink_managed(uintptr_t at);

struct unlink_options {
	bool sync = false;    // bring data home that only devices have
	bool discard = false; // the memory is about to be freed
	bool force = false;   // even while kernels use the array
};

// Takes one link off an array whose copy there counts no longer. The caller holds structure lock and array's lock, and
// has the buffer released when it holds no array's: that is the driver's work.
void *forget_link(library &l, array &a, unsigned device);
void release_buffer(library &l, const array &a, unsigned device, void *devbuf);

// Removes every link, and the array. The caller holds the structure lock.
int unlink_all(library &l, array &a, unlink_options o);

} // namespace het
