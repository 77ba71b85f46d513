// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Opens the CUDA driver's library at run time, with the entry points that the device `cuda` uses.
#pragma once

#include "dev/cuda_abi.h"

namespace het
{

inline constexpr char cuda_library[] = "libcuda.so.1";

struct cuda_api {
#define HET_CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;
	HET_CUDA_DEVICE_FUNCTIONS(HET_CUDA_MEMBER)
	HET_CUDA_LATE_FUNCTIONS(HET_CUDA_MEMBER) // may be null
#undef HET_CUDA_MEMBER

	// Returns "CUDA_ERROR_…", also for numbers that the driver does not know.
	const char *name_of(int error) const;
};

// A context is the calling thread's for the length of a block. The program's own is current again afterwards.
class cuda_current
{
      public:
	cuda_current(const cuda_api &cu, cu_context context) : cu_(cu), error_(cu.push_context(context)) {}
	~cuda_current()
	{
		cu_context ours;
		if (!error_)
			cu_.pop_context(&ours);
	}
	cuda_current(const cuda_current &) = delete;
	cuda_current &operator=(const cuda_current &) = delete;
	int error() const { return error_; }

      private:
	const cuda_api &cu_;
	const int error_;
};

// Opens the library, for the rest of the process, fills the table and starts the driver. Returns GPUVM_EAPI, with what
// to do, if it, one of the functions or a device is missing, or the driver is too old.
int load_cuda(cuda_api &api, const char *library = cuda_library);

} // namespace het
