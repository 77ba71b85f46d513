// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the devices are reported not to have is answered here, as the specification wants for such devices.
#include "calls.h"
#include "command.h"
#include "memory.h"

namespace hetcl
{

namespace
{

// No context has devices with pipes.
std::nullptr_t has_none(cl_context c, cl_int *error)
{
	return refuse(is_valid(c) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, error);
}

// No device has shared virtual memory.
cl_int not_here(cl_command_queue q, cl_int code)
{
	return is_valid(q) ? code : CL_INVALID_COMMAND_QUEUE;
}

} // namespace

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
