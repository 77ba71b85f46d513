// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Failures leave the extension as exceptions of Python's. They pass through C++ as these.
#pragma once

#include <Python.h>

#include <stdexcept>
#include <string>

namespace het::python
{

// Python's own error indicator is set.
struct python_error {
};

// A call of the library failed; het/_errors.py has a class for each code.
struct failure {
	int code;
	std::string sentence;
};

// Throws what the library has said if @err is a code.
void check(int err);

[[noreturn]] void raise(PyObject *type, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Sets Python's error indicator.
void set_error(const failure &f);

} // namespace het::python
