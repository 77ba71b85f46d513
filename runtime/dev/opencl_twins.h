// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes twins on an OpenCL device.
#pragma once

#include "dev/opencl_calls.h"
#include "dev/opening.h"
#include "dev/twin.h"

#include <memory>

namespace het::rt
{

class opencl_twins
{
      public:
	// The device is open when make() is called. @kernels is its queue.
	opencl_twins(const opencl_calls &cl, const cl_device_id &id, const cl_context &context,
		     const cl_command_queue &kernels, const char *name)
	    : cl_(cl), id_(id), context_(context), kernels_(kernels), name_(name)
	{
	}

	// Returns 0, HET_EDEVICE or HET_ENOMEM.
	int make(size_t nbytes, std::unique_ptr<device_twin> &made);

      private:
	friend class opencl_twin;

	int open();
	int failed(const char *what, cl_int error) const;

	const opencl_calls &cl_;
	const cl_device_id &id_;
	const cl_context &context_;
	const cl_command_queue &kernels_;
	const char *const name_;
	opening opening_;
	cl_program program_ = nullptr;
	cl_command_queue queue_ = nullptr;
};

} // namespace het::rt
