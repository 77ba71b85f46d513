// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs are made from source here, and launched.
#include "objects.h"

#include <cstring>

namespace icd
{

namespace
{

// Returns a device of the runtime's that compiles OpenCL C: the first serves for logs.
het_device *a_compiler()
{
	het_device *devices[31];
	uint32_t count = 0;
	het_devices(31, devices, &count);
	for (uint32_t i = 0; i < count && i < 31; i++) {
		het_device_info info = {};
		info.size = sizeof info;
		if (!het_device_describe(devices[i], &info) && info.kind == HET_DEVICE_OPENCL)
			return devices[i];
	}
	return nullptr;
}

} // namespace

cl_program clCreateProgramWithSource(cl_context, cl_uint count, const char **texts, const size_t *lengths,
				     cl_int *error)
{
	auto *p = new _cl_program;
	for (cl_uint i = 0; i < count; i++) {
		size_t n = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
		p->source.insert(p->source.end(), texts[i], texts[i] + n);
	}
	p->source.push_back(0);
	return give(p, CL_SUCCESS, error);
}

cl_int clRetainProgram(cl_program p)
{
	return retain(p, CL_INVALID_PROGRAM);
}

cl_int clReleaseProgram(cl_program p)
{
	return release(p, CL_INVALID_PROGRAM);
}

cl_int clBuildProgram(cl_program p, cl_uint, const cl_device_id *, const char *options,
		      void (*notify)(cl_program, void *), void *arg)
{
	het_program_args args = {};
	args.size = sizeof args;
	args.source = p->source.data();
	args.options = options;
	het_program *made = nullptr;
	int err = het_program_create(&args, &made);
	p->program.reset(made);
	het_device *compiler = a_compiler();
	if (!err)
		err = compiler ? het_program_build(made, compiler) : HET_ENODEV;
	if (notify)
		notify(p, arg);
	return code_of(err);
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id, cl_program_build_info what, size_t room, void *value,
			     size_t *size)
{
	if (what != CL_PROGRAM_BUILD_LOG)
		return CL_INVALID_VALUE;
	het_device *compiler = a_compiler();
	return answer(compiler && p->program ? het_program_log(p->program.get(), compiler) : "", room, value, size);
}

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *error)
{
	het_kernel *made = nullptr;
	if (!p->program)
		return give<_cl_kernel>(nullptr, CL_INVALID_PROGRAM_EXECUTABLE, error);
	if (int err = het_kernel_create(p->program.get(), name, &made))
		return give<_cl_kernel>(nullptr, code_of(err), error);
	auto *k = new _cl_kernel;
	k->kernel.reset(made);
	het_kernel_info info = {};
	info.size = sizeof info;
	het_kernel_describe(made, &info);
	k->arguments.resize(info.nargs);
	return give(k, CL_SUCCESS, error);
}

cl_int clRetainKernel(cl_kernel k)
{
	return retain(k, CL_INVALID_KERNEL);
}

cl_int clReleaseKernel(cl_kernel k)
{
	return release(k, CL_INVALID_KERNEL);
}

cl_int clSetKernelArg(cl_kernel k, cl_uint i, size_t size, const void *value)
{
	if (i >= k->arguments.size())
		return CL_INVALID_ARG_INDEX;
	_cl_kernel::argument &a = k->arguments[i];
	a = {};
	a.arg.nbytes = size;
	a.arg.kind = HET_ARG_LOCAL;
	if (!value)
		return CL_SUCCESS;
	cl_mem buffer = nullptr;
	if (size == sizeof(cl_mem)) // NOLINT(bugprone-sizeof-expression): a handle
		memcpy(&buffer, value, size);
	if (buffer && is_buffer(buffer)) {
		a.arg.kind = HET_ARG_MEMORY;
		a.arg.access = HET_READ_WRITE;
		a.arg.memory = buffer->memory.get();
		return CL_SUCCESS;
	}
	a.arg.kind = HET_ARG_VALUE;
	a.value.assign(static_cast<const char *>(value), static_cast<const char *>(value) + size);
	return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset,
			      const size_t *global, const size_t *local, cl_uint nwaits, const cl_event *waits,
			      cl_event *event)
{
	command c(nwaits, waits);
	auto a = c.arguments<het_launch_args>();
	std::vector<het_arg> args;
	for (_cl_kernel::argument &given : k->arguments) {
		args.push_back(given.arg);
		if (given.arg.kind == HET_ARG_VALUE)
			args.back().pointer = given.value.data();
	}
	a.kernel = k->kernel.get();
	a.dimensions = dimensions;
	for (cl_uint d = 0; d < dimensions && d < 3; d++) {
		a.global[d] = global[d];
		a.offset[d] = offset ? offset[d] : 0;
		a.local[d] = local ? local[d] : 0;
	}
	a.arg_size = sizeof(het_arg);
	a.nargs = args.size();
	a.args = args.data();
	return c.end(het_launch(q->queue.get(), &a, c.out()), CL_FALSE, event);
}

} // namespace icd
