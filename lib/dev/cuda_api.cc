// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_api.h"

#include "os/log.h"

#include <dlfcn.h>
#include <gpuvm.h>

namespace het
{

namespace
{

// Returns the first function that the library lacks, or null.
const char *fill_table(cuda_api &api, void *library)
{
	const char *missing = nullptr;
#define HET_CUDA_FIND(member, symbol, parameters) \
	api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, #symbol));
#define HET_CUDA_REQUIRE(member, symbol, parameters) \
	if (!api.member && !missing)                 \
		missing = #symbol;
	HET_CUDA_DEVICE_FUNCTIONS(HET_CUDA_FIND)
	HET_CUDA_LATE_FUNCTIONS(HET_CUDA_FIND)
	HET_CUDA_DEVICE_FUNCTIONS(HET_CUDA_REQUIRE)
#undef HET_CUDA_REQUIRE
#undef HET_CUDA_FIND
	return missing;
}

int check_version(const cuda_api &api, const char *library)
{
	int version = 0;
	int err = api.driver_version(&version);
	if (err)
		return fail(GPUVM_EAPI, "%s does not tell its version: %s (%d)", library, api.name_of(err), err);
	if (version >= cu_oldest_driver)
		return 0;
	return fail(GPUVM_EAPI, "the NVIDIA driver is for CUDA %d.%d; install one for CUDA %d.%d or newer",
		    version / 1000, version % 1000 / 10, cu_oldest_driver / 1000, cu_oldest_driver % 1000 / 10);
}

int start_driver(const cuda_api &api)
{
	int devices = 0;
	int err = api.init(0);
	if (!err)
		err = api.device_count(&devices);
	if (err == cu_error_no_device || (!err && !devices))
		return fail(GPUVM_EAPI, "the NVIDIA driver sees no GPU: look at nvidia-smi and CUDA_VISIBLE_DEVICES");
	if (err)
		return fail(GPUVM_EAPI,
			    "the NVIDIA driver does not start: %s (%d); nvidia-smi tells whether its kernel module is "
			    "loaded and may be used here",
			    api.name_of(err), err);
	return 0;
}

} // namespace

const char *cuda_api::name_of(int error) const
{
	const char *name = nullptr;
	return error_name(error, &name) == cu_success && name ? name : "an unknown error";
}

int load_cuda(cuda_api &api, const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return fail(GPUVM_EAPI,
			    "there is no NVIDIA driver (%s): install it (Debian: nvidia-driver-libs), or let the "
			    "container see it",
			    dlerror());
	const char *missing = fill_table(api, handle);
	if (missing) {
		dlclose(handle);
		return fail(GPUVM_EAPI, "%s has no %s: install an NVIDIA driver for CUDA %d.%d or newer", library,
			    missing, cu_oldest_driver / 1000, cu_oldest_driver % 1000 / 10);
	}
	int err = check_version(api, library);
	return err ? err : start_driver(api);
}

} // namespace het
