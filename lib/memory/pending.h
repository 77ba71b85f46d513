// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that were ended before they had finished (gpuvm_kernel_end_event): whoever needs their array waits for
// their event first. An array has at most one.
#pragma once

#include "memory/array.h"

namespace het
{

// It belongs to the array while it is array::pending, and to those who wait for it. The array's lock guards it.
struct pending_kernel {
	void *event;
	uint32_t waiters;
	uint8_t device;
	bool writes;
};

// Retains the event. It is null, with *err and the reason on stderr, if that is not one.
pending_kernel *make_pending(memory_context &context, unsigned device, void *event, int *err);
// Frees one that no array has. The caller holds no lock.
void drop_pending(memory_context &context, pending_kernel *p);

// Waits until nothing is pending. The lock is dropped only if something was. Returns 0 or GPUVM_EDEVALLOC if a kernel
// failed; *broken tells the devices on which one failed that writes.
int settle(array &a, array_guard &g, copyset *broken = nullptr);

} // namespace het
