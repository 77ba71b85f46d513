// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the two sources that know pybind11 have in common.
#pragma once

#include "errors.h"
#include "queue.h"

#include <het.h>
#include <pybind11/pybind11.h>

namespace het::python
{

struct device {
	het_device *d;

	het_device_info info() const
	{
		het_device_info i = {};
		i.size = sizeof(i);
		check(het_device_describe(d, &i));
		return i;
	}
};

template <class T> T *instance(PyObject *o)
{
	return o && pybind11::isinstance<T>(pybind11::handle(o)) ? pybind11::handle(o).cast<T *>() : nullptr;
}

// Binds what devices alone have: raw memory, textures, samplers.
void bind_memory(pybind11::module_ &m);

} // namespace het::python
