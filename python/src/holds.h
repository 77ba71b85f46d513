// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a launch uses is held until it has finished: arrays live on, buffers stay exported, and memory that can't stay
// on devices comes home before anybody may free it.
#pragma once

#include "lifetimes.h"
#include "object.h"
#include "view.h"

#include <het.h>
#include <memory>
#include <vector>

namespace het::python
{

// The last reference brings the bytes home.
struct release_memory {
	void operator()(het_memory *m) const
	{
		without_gil g;
		het_memory_release(m);
	}
};

struct end_use_of_owner {
	void operator()(PyObject *owner) const
	{
		end_use(owner);
		Py_DECREF(owner);
	}
};

// The member that goes first stands last.
struct hold {
	object array;
	std::unique_ptr<PyObject, end_use_of_owner> owner; // of memory that stays on devices
	std::unique_ptr<char[]> copy; // is what the kernel gets in place of an array that runs backwards
	buffer exported;
	std::unique_ptr<het_memory, release_memory> memory; // of bytes that can't stay on devices
	bool copies_back = false;
};

// Holds an array of which a command uses the bytes as they are. The view loses its buffer.
hold hold_of(PyObject *array, view &v);
std::unique_ptr<het_memory, release_memory> memory_of(char *first, size_t nbytes);

// Ends holds when their command has, with the interpreter's lock, which is given away while bytes come home. Returns
// false with an error set if a copy could not be copied back.
bool end_holds(std::vector<hold> &holds, bool has_succeeded);

// Ends them some time after the event. It takes over the event's reference, too.
void end_holds_after(het_event *event, std::vector<hold> &&holds);

// Nothing may ask for the interpreter any longer.
void interpreter_ends();

} // namespace het::python
