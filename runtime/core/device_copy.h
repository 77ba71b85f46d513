// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies and fills of which a device has the result alone, as if a kernel there had written it: bytes that the host
// will not touch are written once. Nobody gives up a copy before the device has the bytes, so one that fails loses none
// but those that were to be overwritten.
#pragma once

#include "core/range.h"
#include "core/runtime.h"

namespace het::rt
{

// Returns the only device with memory of its own that has all of these bytes, or null if there is none or are several.
het_device *only_holder(range r);

// These are for commands, which no other one that writes the bytes is beside. They are false if it can't be done so
// now, and nothing has changed; *err is 0 or a code otherwise.
//
// @from is the program's and no array's.
bool write_on_device(het_device &d, range to, const void *from, int *err);
// The device has all of @from.
bool copy_on_device(het_device &d, range to, range from, int *err);

// The bytes at @first, of which there are @n, are written one behind the other until there is no more room.
bool fill_on_device(het_device &d, range to, const char *first, size_t n, int *err);

} // namespace het::rt
