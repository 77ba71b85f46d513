// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes the bytes of a kernel's values from Python's numbers, tuples and buffers.
#pragma once

#include "element.h"

#include <Python.h>

#include <string>

namespace het::python
{

// @where names kernel and argument, for the exception that is thrown if the value does not suit.
std::string bytes_of_value(const parameter &p, PyObject *value, const std::string &where);

} // namespace het::python
