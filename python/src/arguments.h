// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes the arguments of one launch from Python's objects.
#pragma once

#include "device_memory.h"
#include "element.h"
#include "holds.h"
#include "texture.h"
#include "uses.h"

#include <string>
#include <vector>

namespace het::python
{

// Tells the Python types of what may stand for an argument, without which this would have to know how they are bound.
struct known_types {
	const use *(*use_in)(PyObject *o);
	const local_memory *(*local_in)(PyObject *o);
	const device_memory *(*memory_in)(PyObject *o);
	const texture *(*texture_in)(PyObject *o);
	const sampler *(*sampler_in)(PyObject *o);
};

class arguments
{
      public:
	arguments(const known_types &types, const char *kernel, size_t n);

	// Throws with kernel and argument named if it does not suit.
	void add(const parameter &p, PyObject *given);

	const std::vector<het_arg> &all() const { return args_; }
	std::vector<hold> take_holds() { return std::move(holds_); }
	// Returns the device that the launch has to run on, as an argument is an address there; else null.
	het_device *device() const { return device_; }
	// An array has to be copied back by who waits.
	bool must_be_waited_for() const { return copies_back_; }

      private:
	std::string where(const parameter &p) const;
	bool add_local(const parameter &p, PyObject *given);
	bool add_of_device(const parameter &p, PyObject *given, const use *how);
	void add_address(const parameter &p, const device_memory &m);
	void add_texture(const parameter &p, const texture &t, const use *how);
	void add_value(const parameter &p, PyObject *given);
	void add_memory(const parameter &p, PyObject *given, const use *how, view &v);
	uint32_t access_to(const parameter &p, const use *how, const view &v) const;
	void add_range(char *first, size_t nbytes, uint32_t access, const use *how, size_t item);
	void add_null(const parameter &p);
	void copy(view &v, uint32_t access);

	const known_types &types_;
	const char *kernel_;
	std::vector<het_arg> args_;
	std::vector<std::string> values_;
	std::vector<het_pattern> patterns_;
	std::vector<hold> holds_;
	het_device *device_ = nullptr;
	bool copies_back_ = false;
};

} // namespace het::python
