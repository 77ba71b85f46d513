// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares what is known of a kernel's parameter with what a launch passes.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

struct parameter {
	enum kind : uint8_t { unknown, value, memory, local, texture, sampler } is;
	size_t nbytes;    // a value's; 0 means not known
	const char *type; // for people, as the name is; "" means not known
	const char *name;
};

bool fits(const parameter &p, const device_arg &given);
// To drivers, a null pointer may be bytes, which nobody can tell from a number without the declaration.
bool is_null_pointer(const parameter &p, const device_arg &given);
// Returns HET_EARG, and says what argument @i of the kernel is, and what was given.
int say_misfit(const char *kernel, size_t i, const parameter &p, const device_arg &given);

// Returns the size of a type of OpenCL C, as drivers name it ("uint4"), and 0 for those of the program's own.
size_t bytes_of_type(const char *name);

} // namespace het::rt
