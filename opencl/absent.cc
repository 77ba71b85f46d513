// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the devices are reported not to have is answered here, as the specification wants for such devices.
#include "calls.h"
#include "command.h"
#include "memory.h"

namespace hetcl
{

namespace
{

// No context has devices with images, pipes or samplers.
std::nullptr_t has_none(cl_context c, cl_int *error)
{
	return refuse(is_valid(c) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, error);
}

// No device has shared virtual memory, and no object is an image.
cl_int not_here(cl_command_queue q, cl_int code)
{
	return is_valid(q) ? code : CL_INVALID_COMMAND_QUEUE;
}

} // namespace

// --- images and samplers -----------------------------------------------------------

cl_mem clCreateImage(cl_context c, cl_mem_flags, const cl_image_format *, const cl_image_desc *, void *, cl_int *error)
{
	return has_none(c, error);
}

cl_mem clCreateImageWithProperties(cl_context c, const cl_mem_properties *, cl_mem_flags, const cl_image_format *,
				   const cl_image_desc *, void *, cl_int *error)
{
	return has_none(c, error);
}

cl_mem clCreateImage2D(cl_context c, cl_mem_flags, const cl_image_format *, size_t, size_t, size_t, void *,
		       cl_int *error)
{
	return has_none(c, error);
}

cl_mem clCreateImage3D(cl_context c, cl_mem_flags, const cl_image_format *, size_t, size_t, size_t, size_t, size_t,
		       void *, cl_int *error)
{
	return has_none(c, error);
}

cl_int clGetSupportedImageFormats(cl_context c, cl_mem_flags, cl_mem_object_type, cl_uint room,
				  cl_image_format *formats, cl_uint *count)
{
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	if (formats && !room)
		return CL_INVALID_VALUE;
	if (count)
		*count = 0;
	return CL_SUCCESS;
}

cl_int clGetImageInfo(cl_mem, cl_image_info, size_t, void *, size_t *)
{
	return CL_INVALID_MEM_OBJECT;
}

cl_sampler clCreateSampler(cl_context c, cl_bool, cl_addressing_mode, cl_filter_mode, cl_int *error)
{
	return has_none(c, error);
}

cl_sampler clCreateSamplerWithProperties(cl_context c, const cl_sampler_properties *, cl_int *error)
{
	return has_none(c, error);
}

cl_int clRetainSampler(cl_sampler)
{
	return CL_INVALID_SAMPLER;
}

cl_int clReleaseSampler(cl_sampler)
{
	return CL_INVALID_SAMPLER;
}

cl_int clGetSamplerInfo(cl_sampler, cl_sampler_info, size_t, void *, size_t *)
{
	return CL_INVALID_SAMPLER;
}

cl_int clEnqueueReadImage(cl_command_queue q, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t, void *,
			  cl_uint, const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueWriteImage(cl_command_queue q, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t,
			   const void *, cl_uint, const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyImage(cl_command_queue q, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, cl_uint,
			  const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem, cl_mem, const size_t *, const size_t *, size_t, cl_uint,
				  const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem, cl_mem, size_t, const size_t *, const size_t *, cl_uint,
				  const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueFillImage(cl_command_queue q, cl_mem, const void *, const size_t *, const size_t *, cl_uint,
			  const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_MEM_OBJECT);
}

void *clEnqueueMapImage(cl_command_queue q, cl_mem, cl_bool, cl_map_flags, const size_t *, const size_t *, size_t *,
			size_t *, cl_uint, const cl_event *, cl_event *, cl_int *error)
{
	return refuse(not_here(q, CL_INVALID_MEM_OBJECT), error);
}

// --- pipes ---------------------------------------------------------------------------

cl_mem clCreatePipe(cl_context c, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties *, cl_int *error)
{
	return has_none(c, error);
}

cl_int clGetPipeInfo(cl_mem, cl_pipe_info, size_t, void *, size_t *)
{
	return CL_INVALID_MEM_OBJECT;
}

// --- shared virtual memory -----------------------------------------------------------

void *clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint)
{
	return nullptr;
}

void clSVMFree(cl_context, void *) {}

cl_int clEnqueueSVMFree(cl_command_queue q, cl_uint, void *[],
			void(CL_CALLBACK *)(cl_command_queue, cl_uint, void *[], void *), void *, cl_uint,
			const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue q, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *,
			  cl_event *)
{
	return not_here(q, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMemFill(cl_command_queue q, void *, const void *, size_t, size_t, cl_uint, const cl_event *,
			   cl_event *)
{
	return not_here(q, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMap(cl_command_queue q, cl_bool, cl_map_flags, void *, size_t, cl_uint, const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMUnmap(cl_command_queue q, void *, cl_uint, const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint, const void **, const size_t *, cl_mem_migration_flags,
			      cl_uint, const cl_event *, cl_event *)
{
	return not_here(q, CL_INVALID_OPERATION);
}

} // namespace hetcl
