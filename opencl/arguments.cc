// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arguments are checked when they are set, by what the kernel declares; handles again when it is launched.
#include "calls.h"
#include "kernel.h"

#include <cstring>

namespace hetcl
{

namespace
{

// Returns the object whose handle is at @value; null stands for a null pointer.
cl_int take_buffer(size_t size, const void *value, kernel_argument &a)
{
	if (size != sizeof(cl_mem)) // NOLINT(bugprone-sizeof-expression): a handle
		return CL_INVALID_ARG_SIZE;
	cl_mem m = nullptr;
	if (value)
		memcpy(static_cast<void *>(&m), value, size);
	if (m && !is_valid(m))
		return CL_INVALID_MEM_OBJECT;
	a.is = kernel_argument::memory;
	a.buffer = m;
	return CL_SUCCESS;
}

cl_int take_value(size_t size, const void *value, size_t declared, kernel_argument &a)
{
	if (!value)
		return CL_INVALID_ARG_VALUE;
	if (!size || (declared && size != declared))
		return CL_INVALID_ARG_SIZE;
	const auto *bytes = static_cast<const char *>(value);
	a.is = kernel_argument::value;
	a.bytes.assign(bytes, bytes + size);
	return CL_SUCCESS;
}

cl_int take_local(size_t size, const void *value, kernel_argument &a)
{
	if (value)
		return CL_INVALID_ARG_VALUE;
	if (!size)
		return CL_INVALID_ARG_SIZE;
	a.is = kernel_argument::local;
	a.nbytes = size;
	return CL_SUCCESS;
}

// Where the driver does not tell what a kernel takes, a handle of ours is taken for one.
cl_int take_unknown(size_t size, const void *value, kernel_argument &a)
{
	const void *handle = nullptr;
	if (!value)
		return take_local(size, value, a);
	if (size == sizeof(handle))
		memcpy(static_cast<void *>(&handle), value, size);
	if (is_slot(handle) && is_valid(static_cast<cl_mem>(const_cast<void *>(handle))))
		return take_buffer(size, value, a);
	return take_value(size, value, 0, a);
}

cl_int take(const parameter &p, size_t size, const void *value, kernel_argument &a)
{
	switch (p.info.space) {
	case HET_SPACE_GLOBAL:
	case HET_SPACE_CONSTANT:
		return take_buffer(size, value, a);
	case HET_SPACE_LOCAL:
		return take_local(size, value, a);
	case HET_SPACE_VALUE:
		return take_value(size, value, p.info.nbytes, a);
	case HET_SPACE_IMAGE:
		return CL_INVALID_MEM_OBJECT;
	case HET_SPACE_SAMPLER:
		return CL_INVALID_SAMPLER;
	default:
		return take_unknown(size, value, a);
	}
}

} // namespace

cl_int clSetKernelArg(cl_kernel k, cl_uint i, size_t size, const void *value)
{
	if (!is_valid(k))
		return CL_INVALID_KERNEL;
	if (i >= k->arguments.size())
		return CL_INVALID_ARG_INDEX;
	kernel_argument a;
	if (cl_int err = take(k->parameters[i], size, value, a))
		return err;
	k->arguments[i] = std::move(a);
	return CL_SUCCESS;
}

cl_int clSetKernelArgSVMPointer(cl_kernel k, cl_uint, const void *)
{
	return is_valid(k) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

cl_int clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info, size_t, const void *)
{
	return is_valid(k) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

} // namespace hetcl
