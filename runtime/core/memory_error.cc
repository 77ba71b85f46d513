// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/memory_error.h"

#include <gpuvm.h>
#include <het.h>

namespace het::rt
{

// What is no device's failure must not take one out.
int code_of(int memory_error)
{
	switch (memory_error) {
	case 0:
		return 0;
	case GPUVM_ESALLOC:
		return HET_ENOMEM;
	case GPUVM_EPROT:
	case GPUVM_EHOSTPTR:
	case GPUVM_ERANGE:
		return HET_EMEMORY;
	case GPUVM_EDEVALLOC:
	case GPUVM_EAPI:
		return HET_EDEVICE;
	default:
		return HET_ESTATE;
	}
}

} // namespace het::rt
