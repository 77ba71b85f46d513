// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Host ranges become linked arrays of the memory core.
//
// Its index of arrays is the only record of what is linked. An array that is linked here covers all ranges
// that were ever used in it ("parent"): a range that reaches out of it, or over several, makes them one. Links
// stay until the memory is freed; those of memory that can't be watched last as long as a kernel.
#pragma once

#include "core/range.h"
#include "core/runtime.h"

namespace het::rt
{

// Starts the memory core with the runtime's devices, once. Returns 0, HET_ESTATE, HET_EDEVICE or HET_ENOMEM.
int start_memory();

// The device's memory can't be reached any longer.
void forget_memory_of(const het_device &d);

// Makes the range part of an array, and gives that a buffer on the device if there is memory that nobody has. Returns
// 0, HET_EMEMORY, HET_EDEVICE or HET_ENOMEM; or no_device_memory, having said so, if the driver has too little for the
// array, whatever leaves the device. It may wait for kernels that use arrays which must be linked anew; others
// that would use these have to wait then.
int link_range(range r, het_device &d);

enum class outcome : uint8_t {
	done,
	failed,
	must_wait, // commands that use the arrays must end first
	no_room,   // so must commands whose arrays are on the device, where there is not enough memory otherwise
	too_large, // the budget is smaller than what is needed at once
};

// Makes a range part of an array, for a caller that must not wait and holds the lock of linking.
outcome make_array(range r, bool wanted, int *err);
// The array gets this buffer, which it takes over. The lock is held, too.
int give_buffer(range array, het_device &d, void *buffer);

// Returns whether the range is such a part.
bool is_linked_on(range r, const het_device &d);

// Brings the bytes home and takes what is linked of them from the devices, but for what a kernel uses.
void unlink_range(range r);

// A kernel on memory that can't be watched has ended: the memory's links go with the last such kernel.
void drop_copied(range bytes);

} // namespace het::rt
