// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "arguments.h"

#include "errors.h"
#include "values.h"

#include <utility>

namespace het::python
{

namespace
{

bool is_told_of_copies = false;

void tell_of_copy(const std::string &where)
{
	if (std::exchange(is_told_of_copies, true))
		return;
	const std::string text = where +
				 ": its strides are negative, so it is copied, and the kernel gets its elements "
				 "in order, one behind the other (this is said once)";
	object module(PyImport_ImportModule("het._errors"));
	object category(module ? PyObject_GetAttrString(module.get(), "CopyWarning") : nullptr);
	if (!category || PyErr_WarnEx(category.get(), text.c_str(), 1))
		throw python_error{};
}

} // namespace

// References to what is stored stay as they are, as there is room for all.
arguments::arguments(const known_types &types, const char *kernel, size_t n) : types_(types), kernel_(kernel)
{
	args_.reserve(n);
	values_.reserve(n);
	patterns_.reserve(n);
	holds_.reserve(n);
}

std::string arguments::where(const parameter &p) const
{
	std::string text = std::string("kernel ") + kernel_ + ", argument " + std::to_string(args_.size());
	return p.is_described ? text + " (" + p.name + ", " + p.type + ")" : text;
}

bool arguments::add_local(const parameter &p, PyObject *given)
{
	const local_memory *l = types_.local_in(given);
	if (l) {
		if (p.is_described && p.space != HET_SPACE_LOCAL)
			raise(PyExc_TypeError, "%s: this is no local memory", where(p).c_str());
		het_arg a = {};
		a.kind = HET_ARG_LOCAL;
		a.nbytes = l->nbytes;
		args_.push_back(a);
	} else if (p.is_described && p.space == HET_SPACE_LOCAL) {
		raise(PyExc_TypeError, "%s: this is local memory: give het.local(nbytes)", where(p).c_str());
	}
	return l;
}

// Adds what belongs to one device: raw memory, a texture, a sampler.
bool arguments::add_of_device(const parameter &p, PyObject *given, const use *how)
{
	if (const device_memory *m = types_.memory_in(given)) {
		if (how)
			raise(PyExc_TypeError, "%s: nobody sees what is done to raw memory: give it as it is",
			      where(p).c_str());
		add_address(p, *m);
	} else if (const texture *t = types_.texture_in(given)) {
		add_texture(p, *t, how);
	} else if (const sampler *s = types_.sampler_in(given)) {
		if (p.is_described && p.space != HET_SPACE_SAMPLER)
			raise(PyExc_TypeError, "%s: this is no sampler", where(p).c_str());
		het_arg a = {};
		a.kind = HET_ARG_SAMPLER;
		a.pointer = s->get();
		args_.push_back(a);
	} else if (p.is_described && p.space == HET_SPACE_IMAGE) {
		raise(PyExc_TypeError, "%s: this is an image: give a het.Texture", where(p).c_str());
	} else if (p.is_described && p.space == HET_SPACE_SAMPLER) {
		raise(PyExc_TypeError, "%s: this is a sampler: give a het.Sampler", where(p).c_str());
	} else {
		return false;
	}
	hold h;
	h.array = object::to(given);
	holds_.push_back(std::move(h));
	return true;
}

void arguments::add_address(const parameter &p, const device_memory &m)
{
	if (p.is_described && !p.is_pointer())
		raise(PyExc_TypeError, "%s: this is no pointer", where(p).c_str());
	het_arg a = {};
	a.kind = HET_ARG_ADDRESS;
	a.pointer = m.address();
	args_.push_back(a);
	device_ = m.device();
}

void arguments::add_texture(const parameter &p, const texture &t, const use *how)
{
	if (p.is_described && p.space != HET_SPACE_IMAGE)
		raise(PyExc_TypeError, "%s: this is no image", where(p).c_str());
	if (how && how->each)
		raise(PyExc_TypeError, "%s: a texture is used as a whole", where(p).c_str());
	const uint32_t declared = p.is_described ? p.access : 0;
	if (how && declared && how->access != declared)
		raise(PyExc_ValueError, "%s: the declaration of the image says how it is used", where(p).c_str());
	het_arg a = {};
	a.kind = HET_ARG_TEXTURE;
	a.pointer = t.get();
	// An image that says nothing of it is read.
	a.access = how ? how->access : declared ? declared : uint32_t{HET_READ_ONLY};
	args_.push_back(a);
}

void arguments::add(const parameter &p, PyObject *given)
{
	if (add_local(p, given))
		return;
	const use *how = types_.use_in(given);
	if (how)
		given = how->array.get();
	if (add_of_device(p, given, how))
		return;
	if (given == Py_None && !how && (!p.is_described || p.is_pointer()))
		return add_null(p);
	if (p.is_described && p.space == HET_SPACE_VALUE) {
		if (how)
			raise(PyExc_TypeError, "%s: this is a value and no array", where(p).c_str());
		return add_value(p, given);
	}
	view v;
	const bool is_view = take_view(given, v);
	// Who knows nothing of the arguments takes what has no dimension for a value.
	if (!p.is_described && !how && (!is_view || !v.dimensions))
		return add_value(p, given);
	if (!is_view)
		raise(PyExc_TypeError, "%s: %s is no array: it has neither a buffer nor an __array_interface__",
		      where(p).c_str(), Py_TYPE(given)->tp_name);
	add_memory(p, given, how, v);
}

void arguments::add_value(const parameter &p, PyObject *given)
{
	values_.push_back(bytes_of_value(p, given, where(p)));
	het_arg a = {};
	a.kind = HET_ARG_VALUE;
	a.pointer = values_.back().data();
	a.nbytes = values_.back().size();
	if (!a.nbytes)
		raise(PyExc_TypeError, "%s: this value has no bytes", where(p).c_str());
	args_.push_back(a);
}

// To drivers of OpenCL a null pointer is a value of that size, and NVIDIA's refuses others. A function of the host
// would be told where such a value is.
void arguments::add_null(const parameter &p)
{
	static char null_pointer[sizeof(void *)] = {};
	het_arg a = {};
	a.kind = p.is_described ? HET_ARG_VALUE : HET_ARG_ADDRESS;
	a.pointer = p.is_described ? null_pointer : nullptr;
	a.nbytes = p.is_described ? sizeof(null_pointer) : 0;
	args_.push_back(a);
}

uint32_t arguments::access_to(const parameter &p, const use *how, const view &v) const
{
	const bool only_reads = p.is_described && (p.access == HET_READ_ONLY || p.found == HET_READ_ONLY);
	if (how && how->access != HET_READ_ONLY && p.is_described && p.access == HET_READ_ONLY)
		raise(PyExc_ValueError, "%s: this is only read, as its declaration says", where(p).c_str());
	uint32_t access = how ? how->access : uint32_t(only_reads ? HET_READ_ONLY : HET_READ_WRITE);
	// Nobody knows whether a kernel without a description writes.
	if (!how && !p.is_described && v.is_read_only)
		access = HET_READ_ONLY;
	if (access != HET_READ_ONLY && v.is_read_only)
		raise(PyExc_ValueError,
		      "%s: the array is read-only, and the kernel may write it: declare the argument const, or say "
		      "het.read(array) if it only reads",
		      where(p).c_str());
	// What lies between the elements is not written by the kernel, and must last.
	return access == HET_WRITE_ONLY && !v.is_dense ? uint32_t{HET_READ_WRITE} : access;
}

void arguments::add_range(char *first, size_t nbytes, uint32_t access, const use *how, size_t item)
{
	het_arg a = {};
	a.kind = HET_ARG_RANGE;
	a.access = access;
	a.pointer = first;
	a.nbytes = nbytes;
	if (how && how->each) {
		const pieces &e = *how->each;
		patterns_.push_back({sizeof(het_pattern), e.offset * int64_t(item), e.step * item, e.length * item,
				     e.count, e.stride * item});
		a.pattern = &patterns_.back();
	}
	args_.push_back(a);
}

void arguments::add_memory(const parameter &p, PyObject *given, const use *how, view &v)
{
	if (!v.is_native)
		raise(PyExc_TypeError, "%s: the bytes of the array's numbers have another machine's order",
		      where(p).c_str());
	if (!p.suits(v.items))
		raise(PyExc_TypeError, "%s: %s", where(p).c_str(), p.misfit(v.items).c_str());
	const uint32_t access = access_to(p, how, v);
	if (!v.nbytes)
		return add_null(p);
	const size_t item = v.items.size;
	if (v.runs_backwards) {
		tell_of_copy(where(p));
		copy(v, access);
		return add_range(holds_.back().copy.get(), size_t(holds_.back().exported->len), access, how, item);
	}
	holds_.push_back(hold_of(given, v));
	add_range(v.first, v.nbytes, access, how, item);
}

void arguments::copy(view &v, uint32_t access)
{
	hold h;
	const size_t nbytes = size_t(v.exported->len);
	h.copy.reset(new char[nbytes]);
	if (PyBuffer_ToContiguous(h.copy.get(), v.exported.get(), v.exported->len, 'C'))
		throw python_error{};
	h.memory = memory_of(h.copy.get(), nbytes);
	h.exported = std::move(v.exported);
	h.copies_back = access != HET_READ_ONLY;
	copies_back_ |= h.copies_back;
	holds_.push_back(std::move(h));
}

} // namespace het::python
