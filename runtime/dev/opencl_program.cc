// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_program.h"

#include "dev/opencl_errors.h"
#include "os/log.h"

#include <cstring>
#include <new>

namespace het::rt
{

namespace
{

class opencl_program final : public device_program
{
      public:
	opencl_program(const opencl_calls &cl, cl_program handle, const char *device)
	    : cl_(cl), handle_(handle), device_(device)
	{
	}
	~opencl_program() override { cl_.release_program(handle_); }

	int make_kernel(const char *name, std::unique_ptr<device_kernel> &made) override
	{
		cl_int err = CL_SUCCESS;
		cl_kernel k = cl_.create_kernel(handle_, name, &err);
		if (err == CL_INVALID_KERNEL_NAME)
			return HET_ENAME;
		if (!k)
			return fail(HET_EDEVICE, "%s: making kernel %s failed: %s (%d)", device_, name,
				    cl_error_name(err), err);
		made.reset(new (std::nothrow) opencl_kernel(cl_, k));
		if (made)
			return 0;
		cl_.release_kernel(k);
		return fail(HET_ENOMEM, "kernel %s: no memory", name);
	}

      private:
	const opencl_calls &cl_;
	const cl_program handle_;
	const char *device_;
};

text read_log(const opencl_calls &cl, cl_program program, cl_device_id id)
{
	size_t n = 0;
	if (cl.get_program_build_info(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &n) != CL_SUCCESS || n < 2)
		return nullptr;
	text log(new (std::nothrow) char[n + 1]());
	if (log)
		cl.get_program_build_info(program, id, CL_PROGRAM_BUILD_LOG, n, log.get(), nullptr);
	return log;
}

} // namespace

opencl_kernel::opencl_kernel(const opencl_calls &cl, cl_kernel handle) : cl_(cl), handle_(handle)
{
	cl_uint n = 0;
	ask(cl.get_kernel_info, handle, CL_KERNEL_NUM_ARGS, n);
	nargs_ = n;
}

opencl_kernel::~opencl_kernel()
{
	cl_.release_kernel(handle_);
}

int build_opencl_program(const opencl_calls &cl, cl_context context, cl_device_id id, const char *device,
			 const program_source &source, std::unique_ptr<device_program> &made, text &log)
{
	cl_int err = CL_SUCCESS;
	const char *lines = source.opencl;
	cl_program handle = cl.create_program_with_source(context, 1, &lines, nullptr, &err);
	if (!handle)
		return fail(HET_EDEVICE, "%s: making a program failed: %s (%d)", device, cl_error_name(err), err);
	made.reset(new (std::nothrow) opencl_program(cl, handle, device));
	if (!made) {
		cl.release_program(handle);
		return fail(HET_ENOMEM, "%s: no memory for a program", device);
	}
	err = cl.build_program(handle, 1, &id, source.options, nullptr, nullptr);
	log = read_log(cl, handle, id);
	if (err == CL_SUCCESS)
		return 0;
	made.reset();
	const char *words = log ? log.get() : "the compiler gave no reason";
	return fail(HET_EBUILD, "%s: the program does not build (%s): %.300s", device, cl_error_name(err), words);
}

} // namespace het::rt
