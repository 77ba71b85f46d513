// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies between what a device alone has and arrays, which the copies hold until they have finished.
#pragma once

#include "device_memory.h"
#include "event.h"
#include "texture.h"

#include <memory>

namespace het::python
{

enum class direction { to_device, from_device };

// The array's elements follow each other, and it is not read-only if it is written. Of a texture, the array's shape
// says how many texels are copied. Both throw what does not suit, or what the library refuses; the command itself may
// fail later.
std::unique_ptr<event> copy_memory(het_queue *queue, const device_memory &m, PyObject *array, direction d);
std::unique_ptr<event> copy_texels(het_queue *queue, const texture &t, const std::optional<shape> &origin,
				   PyObject *array, direction d);

} // namespace het::python
