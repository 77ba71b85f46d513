// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs programs on a device of OpenCL, whoever has made its platform.
#pragma once

#include "common/opencl.h"
#include "measure/cl_programs.h"

namespace bench
{

// Has a context and an in-order queue.
struct cl_way {
	explicit cl_way(const cl_device_info_text &d);

	const std::string name;
	const cl_device_id device;
	const cl_context_owner context;
	const cl_queue_owner queue;
};

using cl_memory_owner = cl_owner<cl_mem, &clReleaseMemObject>;

// Is a program that was built for a device.
class cl_running
{
      public:
	// The program is built from its source, or loaded from a file of that folder: machines without a compiler that
	// can analyse kernels share no launch of a source.
	cl_running(const cl_way &way, const cl_program_text &text, const std::string &binaries = "");

	// Writes what the program begins with, launches all steps, and reads its results.
	void run();
	const std::vector<std::vector<char>> &results() const { return results_; }
	// On how many devices the last launch ran, which the platform's events tell, and 1 for others.
	unsigned parts() const;

      private:
	void set_arguments(unsigned step);
	void launch(unsigned step);

	const cl_way &way_;
	const cl_program_text &text_;
	cl_program_owner program_;
	cl_kernel_owner kernel_;
	std::vector<cl_memory_owner> buffers_;
	std::vector<std::vector<char>> results_;
	cl_event_owner last_;
};

} // namespace bench
