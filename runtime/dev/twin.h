// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A twin is a part of a buffer as it was, on its device, to find out later what kernels have written there. Only marks
// travel. The idea comes from the twins and diffs of TreadMarks (Keleher and others, 1994), a unit at a time.
#pragma once

#include "os/pool.h"

#include <cstdint>
#include <new>

namespace het::rt
{

// Bytes are compared in such units. Twins begin at a multiple of it in their buffers.
inline constexpr size_t twin_unit = 256;

constexpr size_t twin_units(size_t nbytes)
{
	return (nbytes + twin_unit - 1) / twin_unit;
}

// Calls that allocate memory of a device return this if it is full.
inline constexpr int no_device_memory = 1;

class device_twin
{
      public:
	explicit device_twin(size_t room) : room(room) {}
	virtual ~device_twin() = default;
	// It is made when a block begins, and a touch may wait for that which has malloc's locks.
	static void *operator new(size_t n, const std::nothrow_t &) noexcept { return pool().allocate(n); }
	static void operator delete(void *p, size_t n) { pool().release(p, n); }
	device_twin(const device_twin &) = delete;
	device_twin &operator=(const device_twin &) = delete;

	// Copies a part of a buffer, of at most @room bytes, as it is when commands that were submitted before have
	// ended, in the order of a lane of the device's. @offset is a multiple of the unit. The rules of
	// compute_device::submit() hold. Returns 0 or HET_EDEVICE.
	virtual int take(void *buffer, size_t offset, size_t nbytes, unsigned lane) = 0;
	// Sets @changed, one byte a unit, to other than 0 where the buffer differs from the twin. No kernel uses that
	// part meanwhile. Any thread may call it; it waits. Returns 0 or HET_EDEVICE.
	virtual int compare(uint8_t *changed) = 0;

	const size_t room;
};

} // namespace het::rt
