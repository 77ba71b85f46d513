// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The runtime uses these functions of the CUDA driver, beside those of the memory core's device.
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

// Returns null without a driver or a GPU, and says nothing then: CUDA is optional. There is a message if the driver is
// there and does not work.
const cuda_calls *find_cuda_calls();

} // namespace het::rt
