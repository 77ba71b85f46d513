// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The CUDA driver's functions that the runtime uses, beside those of the memory core's device.
#pragma once

#include "dev/cuda_api.h"

namespace het::rt
{

struct cuda_calls : cuda_api {
#define HET_CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;
	HET_CUDA_PROGRAM_FUNCTIONS(HET_CUDA_MEMBER)
	HET_CUDA_RUNTIME_FUNCTIONS(HET_CUDA_MEMBER)
#undef HET_CUDA_MEMBER
};

// Null without a driver or a GPU, without a message: CUDA is optional. With one if the driver is there and does not work.
const cuda_calls *find_cuda_calls();

// A context is the calling thread's for the length of a block. The program's own is current again afterwards.
class cuda_current
{
      public:
	cuda_current(const cuda_calls &cu, cu_context context) : cu_(cu), error_(cu.push_context(context)) {}
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
	const cuda_calls &cu_;
	const int error_;
};

} // namespace het::rt
