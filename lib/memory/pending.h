// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that were ended before they had finished (gpuvm_kernel_end_event): whoever needs their array waits for
// their event first. An array has at most one.
#pragma once

#include "dev/device.h"
#include "memory/array.h"

namespace het
{

// It belongs to the array while it is array::pending, to those who wait for it, and to who watches it. The array's lock
// guards it.
struct pending_kernel {
	void *event; // null: nobody will wait for it
	uint32_t waiters;
	uint32_t lookers; // have its event now, without the lock
	uint8_t device;
	bool writes;
	bool failed;     // who has waited for it was told
	bool is_watched; // by the caller of look_at_pending()
};

// Retains the event. It is null, with *err and the reason on stderr, if that is not one.
pending_kernel *make_pending(memory_context &context, unsigned device, void *event, int *err);
// Frees one that no array has. The caller holds no lock.
void drop_pending(memory_context &context, pending_kernel *p);

// Waits until nothing is pending. The lock is dropped only if something was. Returns 0 or GPUVM_EDEVALLOC if a kernel
// failed; *broken tells the devices on which one failed that writes.
int settle(array &a, array_guard &g, copyset *broken = nullptr);

// Asks what has become of a kernel of this array that is watched, and waits for nothing. It is watched no longer unless
// it is under way. With `done` the array has it no more, and what it has written may be read. One that has failed stays
// with the array: who needs the bytes is told by settle(). The caller holds no lock.
event_state look_at_pending(array &a, pending_kernel *p);
// It is watched no longer, whatever becomes of it.
void unwatch_pending(array &a, pending_kernel *p);

} // namespace het
