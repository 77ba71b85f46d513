// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_program.h"

#include "dev/best_image.h"
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

namespace
{

// A text or binary that the driver is to make a program of.
struct program_text {
	fatbin::target target;
	fatbin::bytes bytes;
	const char *options;
};

cl_program create(const opencl_place &at, const program_text &t, cl_int *err)
{
	size_t size = t.bytes.size();
	if (t.target == fatbin::target::opencl_c) {
		auto *lines = reinterpret_cast<const char *>(t.bytes.data());
		return at.cl.create_program_with_source(at.context, 1, &lines, &size, err);
	}
	if (t.target == fatbin::target::spirv)
		return at.cl.create_program_with_il(at.context, t.bytes.data(), size, err);
	auto *binary = reinterpret_cast<const unsigned char *>(t.bytes.data());
	cl_int status = CL_SUCCESS;
	cl_program made = at.cl.create_program_with_binary(at.context, 1, &at.id, &size, &binary, &status, err);
	if (!made || status == CL_SUCCESS)
		return made;
	at.cl.release_program(made);
	*err = status;
	return nullptr;
}

// Nothing is said of what the driver refuses: *refused is its error then, and HET_EBUILD or HET_EDEVICE the answer.
int build_text(const opencl_place &at, const program_text &t, std::unique_ptr<device_program> &made, text &log,
	       cl_int *refused)
{
	*refused = CL_SUCCESS;
	cl_program handle = create(at, t, refused);
	if (!handle)
		return HET_EDEVICE;
	made.reset(new (std::nothrow) opencl_program(at.cl, handle, at.device));
	if (!made) {
		at.cl.release_program(handle);
		return fail(HET_ENOMEM, "%s: no memory for a program", at.device);
	}
	*refused = at.cl.build_program(handle, 1, &at.id, t.options, nullptr, nullptr);
	log = read_log(at.cl, handle, at.id);
	if (*refused == CL_SUCCESS)
		return 0;
	made.reset();
	return HET_EBUILD;
}

int say_refusal(const opencl_place &at, int code, cl_int refused, const text &log)
{
	if (refused == CL_SUCCESS)
		return code; // it was said
	if (code == HET_EDEVICE)
		return fail(code, "%s: making a program failed: %s (%d)", at.device, cl_error_name(refused), refused);
	const char *words = log ? log.get() : "the compiler gave no reason";
	return fail(code, "%s: the program does not build (%s): %.300s", at.device, cl_error_name(refused), words);
}

int build_of_fat_binary(const opencl_place &at, const fatbin::container &images, std::unique_ptr<device_program> &made,
			text &log)
{
	cl_int refused = CL_SUCCESS;
	int err = build_best_image(at.device, at.can, images, &refused, cl_error_name,
				   [&](const fatbin::image &i, fatbin::bytes bytes) {
					   bool source = i.target == fatbin::target::opencl_c;
					   program_text t = {i.target, bytes, source ? i.options : ""};
					   return build_text(at, t, made, log, &refused);
				   });
	return err ? say_refusal(at, err, refused, log) : 0;
}

} // namespace

int build_opencl_program(const opencl_place &at, const program_source &source, std::unique_ptr<device_program> &made,
			 text &log)
{
	if (source.fat)
		return build_of_fat_binary(at, *source.fat, made, log);
	program_text t = {fatbin::target::opencl_c, std::as_bytes(std::span(source.opencl, strlen(source.opencl))),
			  source.options};
	cl_int refused;
	int err = build_text(at, t, made, log, &refused);
	return err ? say_refusal(at, err, refused, log) : 0;
}

} // namespace het::rt
