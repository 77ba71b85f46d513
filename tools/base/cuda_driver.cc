// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "base/cuda_driver.h"

#include "dev/cuda_api.h"

#include <dlfcn.h>

namespace het
{

cuda_driver::cuda_driver(cuda_calls wanted) : cuda_functions{}, library_(dlopen(cuda_library, RTLD_NOW | RTLD_LOCAL))
{
	if (!library_) {
		why_not_ = dlerror();
		return;
	}
	cuda_calls now = cuda_calls::device;
#define HET_CUDA_FIND(member, name, parameters)                     \
	member = reinterpret_cast<decltype(member)>(symbol(#name)); \
	if (!member && now <= wanted)                               \
		why_not_ = std::string(cuda_library) + " lacks " #name ": install a newer NVIDIA driver";
	HET_CUDA_DEVICE_FUNCTIONS(HET_CUDA_FIND)
	now = cuda_calls::program;
	HET_CUDA_PROGRAM_FUNCTIONS(HET_CUDA_FIND)
	now = cuda_calls::managed;
	HET_CUDA_MANAGED_FUNCTIONS(HET_CUDA_FIND)
#undef HET_CUDA_FIND
}

void *cuda_driver::symbol(const char *name) const
{
	return library_ ? dlsym(library_, name) : nullptr;
}

} // namespace het
