// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "errors.h"

#include "object.h"

#include <cstdarg>
#include <cstdio>
#include <het.h>

namespace het::python
{

void check(int err)
{
	if (!err)
		return;
	const char *said = het_last_error();
	throw failure{err, *said ? said : het_strerror(err)};
}

void raise(PyObject *type, const char *format, ...)
{
	char text[800];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	PyErr_SetString(type, text);
	throw python_error{};
}

void set_error(const failure &f)
{
	object module(PyImport_ImportModule("het._errors"));
	object error(module ? PyObject_CallMethod(module.get(), "error_of", "is", f.code, f.sentence.c_str())
			    : nullptr);
	if (error)
		PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
}

} // namespace het::python
