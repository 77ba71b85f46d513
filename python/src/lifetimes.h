// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays of numpy's stay on devices from launch to launch, and leave them just before their memory goes. Nothing else
// promises that its memory stays where it is as long as the object lives. Who calls has the interpreter's lock.
#pragma once

#include "object.h"

#include <cstddef>

namespace het::python
{

// Sees to it that the bytes leave devices in time. Returns the owner of their memory, in use until end_use(); null for
// what is no array of numpy's, or has other bytes.
object keep_on_devices(PyObject *array, const char *first, size_t nbytes);
void end_use(PyObject *owner);

// Brings an array's bytes home, and those of the array that owns them; returns whether anything of it was kept. Throws
// while a launch uses it.
bool let_go(PyObject *array);

// Returns how many owners are known, for tests.
size_t count_of_kept();

} // namespace het::python
