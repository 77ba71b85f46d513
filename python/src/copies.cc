// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "copies.h"

#include "errors.h"

#include <algorithm>

namespace het::python
{

namespace
{

void take_array(PyObject *array, direction d, const char *what, view &v)
{
	if (!take_view(array, v))
		raise(PyExc_TypeError, "%s: %s is no array: it has neither a buffer nor an __array_interface__", what,
		      Py_TYPE(array)->tp_name);
	if (v.runs_backwards || !v.is_dense || (v.exported && !PyBuffer_IsContiguous(v.exported.get(), 'C')))
		raise(PyExc_ValueError, "%s: the array's elements must follow each other: numpy.ascontiguousarray()",
		      what);
	if (d == direction::from_device && v.is_read_only)
		raise(PyExc_ValueError, "%s: the array is read-only", what);
}

// The view loses its buffer.
template <class Command> std::unique_ptr<event> begin(PyObject *array, view &v, Command command)
{
	std::vector<hold> holds;
	if (v.nbytes)
		holds.push_back(hold_of(array, v));
	het_event *made = nullptr;
	int err;
	{
		without_gil g;
		err = command(&made);
	}
	if (err) {
		const failure f{err, het_last_error()};
		end_holds(holds, false);
		throw f;
	}
	return std::make_unique<event>(made, std::move(holds));
}

} // namespace

std::unique_ptr<event> copy_memory(het_queue *queue, const device_memory &m, PyObject *array, direction d)
{
	const bool to_device = d == direction::to_device;
	const char *what = to_device ? "Memory.copy_from" : "Memory.copy_to";
	view v;
	take_array(array, d, what, v);
	if (v.nbytes > m.nbytes())
		raise(PyExc_ValueError, "%s: the array has %zu bytes, and the memory %zu", what, v.nbytes, m.nbytes());
	het_copy_args a = {};
	a.size = sizeof a;
	a.nbytes = v.nbytes;
	a.to_pointer = to_device ? m.address() : v.first;
	a.from_pointer = to_device ? v.first : m.address();
	(to_device ? a.to_device : a.from_device) = m.device();
	return begin(array, v, [&](het_event **made) { return het_copy(queue, &a, made); });
}

std::unique_ptr<event> copy_texels(het_queue *queue, const texture &t, const std::optional<shape> &origin,
				   PyObject *array, direction d)
{
	const bool to_device = d == direction::to_device;
	const char *what = to_device ? "Texture.copy_from" : "Texture.copy_to";
	view v;
	take_array(array, d, what, v);
	if (!v.exported)
		raise(PyExc_TypeError, "%s: %s has no buffer", what, Py_TYPE(array)->tp_name);
	const shape dimensions(v.exported->shape, v.exported->shape + v.exported->ndim);
	const place region = t.region_of(dimensions, v.items, what), at = t.place_of(origin);
	het_texture_copy_args a = {};
	a.size = sizeof a;
	(to_device ? a.to : a.from) = t.get();
	std::copy(at.begin(), at.end(), to_device ? a.to_origin : a.from_origin);
	std::copy(region.begin(), region.end(), a.region);
	a.host.pointer = v.first;
	return begin(array, v, [&](het_event **made) { return het_texture_copy(queue, &a, made); });
}

} // namespace het::python
