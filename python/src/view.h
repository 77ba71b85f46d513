// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Shows the memory of a Python object as a kernel will see it: by the buffer protocol, or by numpy's array interface.
#pragma once

#include "element.h"
#include "object.h"

#include <cstdint>
#include <memory>

namespace het::python
{

struct release_buffer {
	void operator()(Py_buffer *b) const
	{
		PyBuffer_Release(b);
		delete b;
	}
};
// As long as it lives, the exporter must not move or free its memory.
using buffer = std::unique_ptr<Py_buffer, release_buffer>;

struct view {
	buffer exported; // is null if the object has an array interface alone
	object owner;    // has the bytes in that case
	char *first = nullptr;
	size_t nbytes = 0; // of the hull: from the first byte of an element to the last one's
	element items;
	int dimensions = 0;
	bool is_native = true; // the bytes of a number have this machine's order
	bool is_read_only = false;
	bool is_dense = true;        // every byte of the hull is an element's
	bool runs_backwards = false; // it has a negative stride
};

// Returns false, without an error, if the object is nothing of that kind.
bool take_view(PyObject *o, view &v);

} // namespace het::python
