// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_calls.h"

#include "os/log.h"

#include <dlfcn.h>

namespace het::rt
{

namespace
{

// A driver's library without a GPU is nothing to talk about.
bool sees_gpu(void *library)
{
	auto *init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
	auto *count = reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDeviceGetCount"));
	int n = 0, err = init && count ? init(0) : int(cu_success);
	return err != cu_error_no_device && (err || !count || count(&n) || n);
}

bool fill(cuda_calls &c)
{
	void *library = dlopen(cuda_library, RTLD_NOW | RTLD_LOCAL);
	if (!library || !sees_gpu(library) || load_cuda(c))
		return false;
	const char *missing = nullptr;
#define HET_CUDA_FIND(member, symbol, parameters)                                 \
	c.member = reinterpret_cast<decltype(c.member)>(dlsym(library, #symbol)); \
	if (!c.member && !missing)                                                \
		missing = #symbol;
	HET_CUDA_PROGRAM_FUNCTIONS(HET_CUDA_FIND)
	HET_CUDA_RUNTIME_FUNCTIONS(HET_CUDA_FIND)
#undef HET_CUDA_FIND
	if (missing)
		warn("%s has no %s: install an NVIDIA driver for CUDA 12.4 or newer, or use the GPU through OpenCL",
		     cuda_library, missing);
	return !missing;
}

} // namespace

const cuda_calls *find_cuda_calls()
{
	static cuda_calls calls;
	static const bool found = fill(calls);
	return found ? &calls : nullptr;
}

} // namespace het::rt
