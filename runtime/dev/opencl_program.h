// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs and kernels of the device `opencl`.
#pragma once

#include "dev/compute_device.h"
#include "dev/opencl_calls.h"

namespace het::rt
{

class opencl_kernel final : public device_kernel
{
      public:
	opencl_kernel(const opencl_calls &cl, cl_kernel handle);
	~opencl_kernel() override;
	uint32_t nargs() const override { return nargs_; }
	cl_kernel handle() const { return handle_; }

      private:
	const opencl_calls &cl_;
	const cl_kernel handle_;
	uint32_t nargs_;
};

// From source. @device: its name, for messages. HET_EBUILD with the compiler's words in *log.
int build_opencl_program(const opencl_calls &cl, cl_context context, cl_device_id id, const char *device,
			 const program_source &source, std::unique_ptr<device_program> &made, text &log);

} // namespace het::rt
