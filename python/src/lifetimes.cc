// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A weak reference to the array that owns the memory has a callback, which numpy calls before it frees that memory. It
// releases the library's object of these bytes, and with it all links; that may read from a device, for which other
// threads of Python need not wait.
//
// The owner is the last array in the chain of bases: it allocated the memory, or holds on to an object that did, so the
// memory outlives it. A weak reference also keeps numpy from resizing the array in place.
#include "lifetimes.h"

#include "errors.h"
#include "object.h"

#include <het.h>
#include <unordered_map>

namespace het::python
{

namespace
{

struct kept {
	het_memory *memory;
	const char *first;
	size_t nbytes;
	object reference; // weak
	size_t uses = 0;  // by launches that have not finished
};

// It is never destroyed: arrays may go after the extension's variables.
std::unordered_map<PyObject *, kept> &all_kept()
{
	static auto *const all = new std::unordered_map<PyObject *, kept>;
	return *all;
}

// What is no array can't tell, and who has not imported numpy has none.
PyTypeObject *array_type()
{
	static PyTypeObject *type = nullptr;
	if (type)
		return type;
	object name(PyUnicode_FromString("numpy"));
	object numpy(name ? PyImport_GetModule(name.get()) : nullptr);
	object found(numpy ? PyObject_GetAttrString(numpy.get(), "ndarray") : nullptr);
	PyErr_Clear();
	if (found && PyType_Check(found.get()))
		type = reinterpret_cast<PyTypeObject *>(found.give_up());
	return type;
}

bool is_array(PyObject *o)
{
	return array_type() && PyObject_TypeCheck(o, array_type());
}

object owner_of(PyObject *array)
{
	static PyObject *const base_name = PyUnicode_InternFromString("base");
	object at = object::to(array);
	for (;;) {
		object base(PyObject_GetAttr(at.get(), base_name));
		if (!base)
			throw python_error{};
		if (!is_array(base.get()))
			return at;
		at = std::move(base);
	}
}

// The entry goes first: the bytes may be linked anew while this waits.
bool forget(PyObject *owner)
{
	auto &all = all_kept();
	auto found = all.find(owner);
	if (found == all.end())
		return false;
	kept k = std::move(found->second);
	all.erase(found);
	{
		without_gil g;
		het_memory_release(k.memory);
	}
	return true;
}

PyObject *on_end(PyObject *self, PyObject *)
{
	forget(static_cast<PyObject *>(PyLong_AsVoidPtr(self)));
	Py_RETURN_NONE;
}

PyMethodDef on_end_method = {"on_end", on_end, METH_O, nullptr};

object watch(PyObject *owner)
{
	object address(PyLong_FromVoidPtr(owner));
	object callback(address ? PyCFunction_New(&on_end_method, address.get()) : nullptr);
	object reference(callback ? PyWeakref_NewRef(owner, callback.get()) : nullptr);
	if (!reference)
		throw python_error{};
	return reference;
}

bool holds(const kept &k, const char *first, size_t nbytes)
{
	return first >= k.first && first + nbytes <= k.first + k.nbytes;
}

// An owner that can't tell, as its items are times, may be any around what is used.
bool take_bytes(PyObject *owner, kept &k)
{
	Py_buffer b;
	if (PyObject_GetBuffer(owner, &b, PyBUF_STRIDED_RO | PyBUF_FORMAT)) {
		PyErr_Clear();
		return false;
	}
	const bool is_dense = PyBuffer_IsContiguous(&b, 'A');
	k.first = static_cast<const char *>(b.buf);
	k.nbytes = size_t(b.len);
	PyBuffer_Release(&b);
	return is_dense;
}

} // namespace

object keep_on_devices(PyObject *array, const char *first, size_t nbytes)
{
	if (!is_array(array))
		return {};
	object owner = owner_of(array);
	auto &all = all_kept();
	if (!all.contains(owner.get())) {
		kept k = {nullptr, first, nbytes, {}};
		if (owner.get() != array && !take_bytes(owner.get(), k))
			return {};
		k.reference = watch(owner.get());
		// To make it may have let others run, who kept the same owner.
		if (!all.contains(owner.get())) {
			check(het_memory_wrap(const_cast<char *>(k.first), k.nbytes, &k.memory));
			all.emplace(owner.get(), std::move(k));
		}
	}
	kept &k = all.at(owner.get());
	if (!holds(k, first, nbytes))
		return {};
	k.uses++;
	return owner;
}

void end_use(PyObject *owner)
{
	auto found = all_kept().find(owner);
	if (found != all_kept().end())
		found->second.uses--;
}

bool let_go(PyObject *array)
{
	if (!is_array(array))
		return false;
	const object owner = owner_of(array);
	auto found = all_kept().find(owner.get());
	if (found != all_kept().end() && found->second.uses)
		raise(PyExc_BufferError, "a launch uses the array's memory: wait for it first");
	return forget(owner.get());
}

size_t count_of_kept()
{
	return all_kept().size();
}

} // namespace het::python
