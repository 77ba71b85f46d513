// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_api.h"

#include "os/log.h"

#include <dlfcn.h>
#include <gpuvm.h>

namespace het
{

namespace
{

constexpr int open_flags = RTLD_NOW | RTLD_LOCAL;

// Looks functions up until one is missing, and remembers its name.
class function_finder
{
      public:
	explicit function_finder(void *library) : library_(library) {}

	template <typename F> void operator()(const char *name, F *&function)
	{
		if (missing)
			return;
		function = reinterpret_cast<F *>(dlsym(library_, name));
		if (!function)
			missing = name;
	}

	const char *missing = nullptr;

      private:
	void *library_;
};

const char *fill_table(opencl_api &api, void *library)
{
	function_finder find(library);
	find("clGetPlatformInfo", api.get_platform_info);
	find("clGetDeviceInfo", api.get_device_info);
	find("clGetCommandQueueInfo", api.get_command_queue_info);
	find("clCreateCommandQueue", api.create_command_queue);
	find("clReleaseCommandQueue", api.release_command_queue);
	find("clGetMemObjectInfo", api.get_mem_object_info);
	find("clRetainMemObject", api.retain_mem_object);
	find("clReleaseMemObject", api.release_mem_object);
	find("clEnqueueReadBuffer", api.enqueue_read_buffer);
	find("clEnqueueWriteBuffer", api.enqueue_write_buffer);
	find("clEnqueueCopyBuffer", api.enqueue_copy_buffer);
	find("clFlush", api.flush);
	find("clGetEventInfo", api.get_event_info);
	find("clRetainEvent", api.retain_event);
	find("clReleaseEvent", api.release_event);
	find("clWaitForEvents", api.wait_for_events);
	return find.missing;
}

} // namespace

int load_opencl(opencl_api &api, const char *library)
{
	void *handle = dlopen(library, open_flags);
	if (!handle)
		return fail(GPUVM_EAPI,
			    "OpenCL is not installed (%s): install a loader (Debian: ocl-icd-libopencl1) and a "
			    "driver (the GPU vendor's, or pocl-opencl-icd for the CPU)",
			    dlerror());
	const char *missing = fill_table(api, handle);
	if (!missing)
		return 0;
	dlclose(handle);
	return fail(GPUVM_EAPI,
		    "%s has no %s: install an OpenCL loader of version 1.1 or later "
		    "(Debian: ocl-icd-libopencl1)",
		    library, missing);
}

void *find_opencl_function(const char *name)
{
	void *handle = dlopen(opencl_library, open_flags);
	return handle ? dlsym(handle, name) : nullptr;
}

} // namespace het
