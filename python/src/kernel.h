// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel with what is known of its arguments, and a launch of it that waits for them.
#pragma once

#include "arguments.h"
#include "event.h"

#include <het.h>
#include <memory>
#include <string>
#include <vector>

namespace het::python
{

class kernel
{
      public:
	// @kept lives as long as the kernel and its launches: functions that it calls.
	kernel(het_program *program, const char *name, object &&kept);
	kernel(const kernel &) = delete;
	kernel &operator=(const kernel &) = delete;
	~kernel() { het_kernel_release(k_); }

	het_kernel *get() const { return k_; }
	const std::string &name() const { return name_; }
	const std::vector<parameter> &parameters() const { return parameters_; }
	PyObject *kept() const { return kept_.get(); }

      private:
	het_kernel *k_ = nullptr;
	std::string name_;
	std::vector<parameter> parameters_;
	object kept_;
};

// These are what a call may give by name besides the kernel's arguments.
struct release_event {
	void operator()(het_event *e) const { het_event_release(e); }
};
struct options {
	het_queue *queue = nullptr;
	het_device *device = nullptr;
	uint32_t flags = 0;
	std::vector<std::unique_ptr<het_event, release_event>> after; // others may change the list meanwhile
	PyObject *offset = nullptr;
	int32_t priority = 0;
};

// Finds the library's objects behind Python's, as known_types does.
struct option_types {
	het_queue *(*queue_in)(PyObject *o); // null: the default queue
	het_device *(*device_in)(PyObject *o);
	het_event *(*event_in)(PyObject *o);
};

class launcher
{
      public:
	// @key is what stands in k[...]: a global size, or a global and a local one.
	launcher(std::shared_ptr<kernel> k, PyObject *key);

	// Takes the arguments and starts the kernel.
	std::unique_ptr<event> start(PyObject *positional, PyObject *named, const known_types &types,
				     const option_types &others, bool *must_wait) const;

      private:
	std::vector<PyObject *> in_order(PyObject *positional, PyObject *named, const option_types &others,
					 options &o) const;
	void take_option_or_argument(PyObject *name, PyObject *value, const option_types &others, options &o,
				     std::vector<PyObject *> &all) const;

	std::shared_ptr<kernel> kernel_;
	uint32_t dimensions_;
	size_t global_[3] = {}, local_[3] = {};
};

} // namespace het::python
