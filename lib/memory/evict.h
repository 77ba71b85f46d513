// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays of the runtime's lose a device's buffer and stay linked: the memory is needed for others. What only that
// device has comes home first. An array may have no buffer at all; the host, or another device, has its bytes then.
#pragma once

#include "core/range.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace het
{

struct library;

// Makes an array of a range that touches none, without a buffer. Returns 0, GPUVM_EPROT or GPUVM_ESALLOC.
int adopt_managed(range user);

// This is an array with a buffer on the device, at one moment. It is in use if a kernel there has it, or its bytes are
// coming home behind one.
struct resident_array {
	range user;
	uint64_t arrived; // rises from buffer to buffer
	bool in_use;
};
// Writes down as many as there is room for, and returns how many there are.
size_t find_residents(unsigned device, std::span<resident_array> room);

// Returns the bytes of all buffers that arrays have on the device, also of such as are no longer theirs and about to be
// released.
uint64_t resident_bytes(unsigned device);

// Brings home what only the device has of the array at @at, and takes its buffer away. *brought is increased by the
// bytes that had to come. Returns 0, also if there is no such buffer; GPUVM_ESTATE without a word if the array is in
// use; or GPUVM_EDEVALLOC, and the buffer stays. It waits for copies that are under way, and for calls, but for no
// kernel.
int evict(uintptr_t at, unsigned device, uint64_t *brought);

// Brings home what of @r only this device has, which keeps its copy. Returns 0; GPUVM_ESTATE without a word if a kernel
// is writing chunks of it, which it does not wait for; or GPUVM_EDEVALLOC.
int bring_only_copies(range r, unsigned device);

// These do the same in a library that need not be the process's.
size_t find_residents(library &l, unsigned device, std::span<resident_array> room);
int evict(library &l, uintptr_t at, unsigned device, uint64_t *brought);

} // namespace het
