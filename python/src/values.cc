// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "values.h"

#include "errors.h"
#include "view.h"

#include <cstring>

namespace het::python
{

namespace
{

template <class T> std::string bytes_of(T number)
{
	return {reinterpret_cast<const char *>(&number), sizeof(number)};
}

// What Python says of a number that does not suit, with the argument's name before it.
[[noreturn]] void name_argument(const std::string &where)
{
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	object kind(type), why(value), from(trace), text(value ? PyObject_Str(value) : nullptr);
	const char *said = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
	raise(kind.get(), "%s: %s", where.c_str(), said ? said : "this is no number");
}

std::string real(size_t size, PyObject *value, const std::string &where)
{
	const double number = PyFloat_AsDouble(value);
	if (number == -1 && PyErr_Occurred())
		name_argument(where);
	if (size == 8)
		return bytes_of(number);
	char bytes[4];
	if (size == 4 ? PyFloat_Pack4(number, bytes, !PY_BIG_ENDIAN) : PyFloat_Pack2(number, bytes, !PY_BIG_ENDIAN))
		name_argument(where);
	return {bytes, size};
}

std::string whole(const element &e, PyObject *value, const std::string &where)
{
	object number(PyNumber_Index(value));
	if (!number)
		name_argument(where);
	std::string bytes(e.size, '\0');
	const bool is_signed = e.is == kind::whole;
	// The C function that takes bytes is private; the method is not.
	object made(PyObject_GetAttrString(number.get(), "to_bytes"));
	object args(Py_BuildValue("(ns)", Py_ssize_t(e.size), PY_BIG_ENDIAN ? "big" : "little"));
	object how(Py_BuildValue("{sO}", "signed", is_signed ? Py_True : Py_False));
	object result(made && args && how ? PyObject_Call(made.get(), args.get(), how.get()) : nullptr);
	if (!result) {
		PyErr_Clear();
		object text(PyObject_Str(number.get()));
		const char *shown = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
		raise(PyExc_OverflowError, "%s: %s does not fit into %s", where.c_str(), shown ? shown : "the number",
		      name_of(e).c_str());
	}
	memcpy(bytes.data(), PyBytes_AS_STRING(result.get()), e.size);
	return bytes;
}

// Most numbers are small, and need no method.
std::string quick_whole(const element &e, PyObject *value, const std::string &where)
{
	int overflow = 1;
	const long long n = PyLong_CheckExact(value) ? PyLong_AsLongLongAndOverflow(value, &overflow) : 0;
	if (overflow || e.size > 8)
		return whole(e, value, where);
	const unsigned bits = unsigned(8 * e.size);
	const bool fits = e.is == kind::whole ? bits == 64 || (n >= -(1LL << (bits - 1)) && n < 1LL << (bits - 1))
					      : n >= 0 && (bits == 64 || n < 1LL << bits);
	return fits ? std::string(reinterpret_cast<const char *>(&n), e.size) : whole(e, value, where);
}

std::string number(const element &e, PyObject *value, const std::string &where)
{
	return e.is == kind::real ? real(e.size, value, where) : quick_whole(e, value, where);
}

std::string vector(const parameter &p, PyObject *value, const std::string &where)
{
	object items(PySequence_Fast(value, ""));
	if (!items || PySequence_Fast_GET_SIZE(items.get()) != Py_ssize_t(p.lanes)) {
		PyErr_Clear();
		raise(PyExc_TypeError, "%s: this takes %u numbers, as a tuple", where.c_str(), p.lanes);
	}
	std::string bytes;
	for (unsigned i = 0; i < p.lanes; i++)
		bytes += number(p.of, PySequence_Fast_GET_ITEM(items.get(), i), where);
	if (p.lanes == 3)
		bytes.append(p.of.size, '\0');
	return bytes;
}

// A structure is what has a buffer: of numpy's, of ctypes, or bytes.
std::string structure(const parameter &p, PyObject *value, const std::string &where)
{
	view v;
	if (!take_view(value, v)) {
		if (p.is_described)
			raise(PyExc_TypeError, "%s: give the %zu bytes of it, as numpy.void, ctypes.Structure or bytes",
			      where.c_str(), p.nbytes);
		raise(PyExc_TypeError,
		      "%s: nothing is known of this kernel's arguments, so a number must say its type: "
		      "numpy.float32(3), ctypes.c_int(3)",
		      where.c_str());
	}
	if (p.nbytes && v.nbytes != p.nbytes)
		raise(PyExc_TypeError, "%s: it has %zu bytes, and %zu were given", where.c_str(), p.nbytes, v.nbytes);
	if (!v.is_dense || v.runs_backwards)
		raise(PyExc_TypeError, "%s: the bytes of a value must follow each other", where.c_str());
	return {v.first, v.nbytes};
}

} // namespace

std::string bytes_of_value(const parameter &p, PyObject *value, const std::string &where)
{
	if (!p.is_described || p.of.is == kind::opaque || p.of.is == kind::anything)
		return structure(p, value, where);
	return p.lanes == 1 ? number(p.of, value, where) : vector(p, value, where);
}

} // namespace het::python
