// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "view.h"

#include "errors.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace het::python
{

namespace
{

// Each byte is an element's: from the shortest stride on, each is as long as all that stands within it.
bool fill_their_hull(size_t item, int n, const Py_ssize_t *shape, const Py_ssize_t *strides)
{
	std::vector<std::pair<size_t, size_t>> axes;
	for (int d = 0; d < n; d++) {
		if (shape[d] > 1)
			axes.emplace_back(size_t(std::abs(strides[d])), size_t(shape[d]));
	}
	std::sort(axes.begin(), axes.end());
	for (auto [stride, length] : axes) {
		if (stride != item)
			return false;
		item *= length;
	}
	return true;
}

// Strides are in bytes, and null where elements follow each other.
void take_hull(view &v, char *origin, int n, const Py_ssize_t *shape, const Py_ssize_t *strides)
{
	Py_ssize_t before = 0, behind = 0;
	size_t elements = 1;
	for (int d = 0; d < n; d++)
		elements *= size_t(shape[d]);
	v.dimensions = n;
	v.first = origin;
	v.nbytes = elements * v.items.size;
	if (!strides || !elements)
		return;
	for (int d = 0; d < n; d++) {
		(strides[d] < 0 ? before : behind) += (shape[d] - 1) * strides[d];
		v.runs_backwards |= strides[d] < 0 && shape[d] > 1;
	}
	v.first = origin + before;
	v.nbytes = size_t(behind - before) + v.items.size;
	v.is_dense = fill_their_hull(v.items.size, n, shape, strides);
}

bool take_buffer(PyObject *o, view &v)
{
	buffer b(new Py_buffer);
	const int err = PyObject_GetBuffer(o, b.get(), PyBUF_STRIDED_RO | PyBUF_FORMAT);
	if (err) {
		delete b.release();
		return false;
	}
	v.items = element_of_format(b->format, size_t(b->itemsize), &v.is_native);
	v.is_read_only = b->readonly;
	take_hull(v, static_cast<char *>(b->buf), b->ndim, b->shape, b->strides);
	v.exported = std::move(b);
	return true;
}

std::vector<Py_ssize_t> numbers(PyObject *tuple)
{
	object items(PySequence_Fast(tuple, "__array_interface__: shape and strides are tuples"));
	if (!items)
		throw python_error{};
	std::vector<Py_ssize_t> all;
	for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); i++)
		all.push_back(PyNumber_AsSsize_t(PySequence_Fast_GET_ITEM(items.get(), i), PyExc_OverflowError));
	if (PyErr_Occurred())
		throw python_error{};
	return all;
}

// The data are an address and whether it must not be written, or an object with a buffer.
char *take_data(PyObject *data, view &v)
{
	if (PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2) {
		void *address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
		v.is_read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) != 0;
		if (PyErr_Occurred())
			throw python_error{};
		return static_cast<char *>(address);
	}
	view bytes;
	if (!take_buffer(data, bytes))
		throw python_error{};
	v.is_read_only = bytes.is_read_only;
	v.exported = std::move(bytes.exported);
	return bytes.first;
}

PyObject *item(PyObject *dictionary, const char *name)
{
	PyObject *found = PyDict_GetItemString(dictionary, name);
	return found == Py_None ? nullptr : found;
}

void take_interface(PyObject *interface, PyObject *o, view &v)
{
	if (!PyDict_Check(interface) || !item(interface, "shape") || !item(interface, "typestr"))
		raise(PyExc_TypeError, "%s.__array_interface__ has no shape or typestr", Py_TYPE(o)->tp_name);
	const char *typestr = PyUnicode_AsUTF8(item(interface, "typestr"));
	if (!typestr)
		throw python_error{};
	v.items = element_of_typestr(typestr, &v.is_native);
	v.owner = object::to(o);
	PyObject *data = item(interface, "data"), *offset = item(interface, "offset");
	char *origin = take_data(data ? data : o, v) + (offset ? PyLong_AsSsize_t(offset) : 0);
	const std::vector<Py_ssize_t> shape = numbers(item(interface, "shape"));
	std::vector<Py_ssize_t> strides;
	if (item(interface, "strides"))
		strides = numbers(item(interface, "strides"));
	if (!strides.empty() && strides.size() != shape.size())
		raise(PyExc_TypeError, "%s.__array_interface__ has strides that are not those of its shape",
		      Py_TYPE(o)->tp_name);
	for (Py_ssize_t n : shape) {
		if (n < 0)
			raise(PyExc_ValueError, "%s.__array_interface__ has a negative shape", Py_TYPE(o)->tp_name);
	}
	take_hull(v, origin, int(shape.size()), shape.data(), strides.empty() ? nullptr : strides.data());
	if (v.runs_backwards)
		raise(PyExc_ValueError,
		      "%s has negative strides and no buffer of its own: take numpy.ascontiguousarray() of it",
		      Py_TYPE(o)->tp_name);
	const char *bytes = v.exported ? static_cast<const char *>(v.exported->buf) : nullptr;
	if (bytes && (v.first < bytes || v.nbytes > size_t(v.exported->len) ||
		      v.first - bytes > v.exported->len - Py_ssize_t(v.nbytes)))
		raise(PyExc_ValueError, "%s.__array_interface__ reaches beyond its data", Py_TYPE(o)->tp_name);
}

} // namespace

bool take_view(PyObject *o, view &v)
{
	if (PyObject_CheckBuffer(o) && take_buffer(o, v))
		return true;
	// numpy refuses to export times, and memory views that were released refuse everything.
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	object interface(PyObject_GetAttrString(o, "__array_interface__"));
	if (!interface) {
		PyErr_Clear();
		if (!type)
			return false;
		PyErr_Restore(type, value, trace);
		throw python_error{};
	}
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	take_interface(interface.get(), o, v);
	return true;
}

} // namespace het::python
