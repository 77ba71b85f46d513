// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies from and to buffers that are no arrays', by the library's devices. Each borrows a lane, unless its caller has
// one.
#pragma once

#include "dev/device.h"

#include <cstdint>
#include <span>

namespace het
{

// Works as device::read() and device::write(): the host's side can't be trapped.
int read_buffers(unsigned device, std::span<const transfer> pieces);
int write_buffers(unsigned device, std::span<const transfer> pieces);
int read_buffers(unsigned device, std::span<const transfer> pieces, unsigned own_lane);
int write_buffers(unsigned device, std::span<const transfer> pieces, unsigned own_lane);

struct place_in_buffer {
	unsigned device;
	void *buffer;
	size_t offset;
};
// Copies without the host. It returns GPUVM_EAPI without a message where that is not possible.
int copy_buffer(const place_in_buffer &to, const place_in_buffer &from, size_t n);

// Returns how many bytes of a device's memory it has lent to copies of others, which pass through them, and has it take
// them back, for good. The library has started.
uint64_t lent_bytes(unsigned device);
void keep_memory(unsigned device);

// These are device::report_paths() and device::seconds_to_write(). The library has started.
size_t report_paths(unsigned device, std::span<path_report> room);
double seconds_to_send(unsigned device, size_t nbytes);

} // namespace het
