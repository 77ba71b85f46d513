// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Owns a reference to a Python object, and lets other threads of Python run. Who uses either has the interpreter's
// lock.
#pragma once

#include <Python.h>

#include <utility>

namespace het::python
{

class object
{
      public:
	object() = default;
	// Takes a reference over.
	explicit object(PyObject *taken) : o_(taken) {}
	object(object &&other) noexcept : o_(std::exchange(other.o_, nullptr)) {}
	object &operator=(object &&other) noexcept
	{
		std::swap(o_, other.o_);
		return *this;
	}
	~object() { Py_XDECREF(o_); }

	static object to(PyObject *borrowed)
	{
		Py_XINCREF(borrowed);
		return object(borrowed);
	}
	PyObject *get() const { return o_; }
	PyObject *give_up() { return std::exchange(o_, nullptr); }
	explicit operator bool() const { return o_ != nullptr; }

      private:
	PyObject *o_ = nullptr;
};

// What may wait for a device does so without the interpreter's lock.
class without_gil
{
      public:
	without_gil() : state_(PyEval_SaveThread()) {}
	without_gil(const without_gil &) = delete;
	without_gil &operator=(const without_gil &) = delete;
	// Python ends threads here, by an exception of a kind, when it has ended itself.
	~without_gil() noexcept(false) { PyEval_RestoreThread(state_); }

      private:
	PyThreadState *state_;
};

} // namespace het::python
