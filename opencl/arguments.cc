// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arguments are checked when they are set, by what the kernel declares; handles again when it is launched.
#include "calls.h"
#include "kernel.h"
#include "sampler.h"

#include <cstring>

namespace hetcl
{

namespace
{

// Reads the handle at @value; null stands for a null handle.
template <class H> H handle_at(const void *value)
{
	H h = nullptr;
	if (value)
		memcpy(static_cast<void *>(&h), value, sizeof(h));
	return h;
}

cl_int take_buffer(size_t size, const void *value, kernel_argument &a)
{
	if (size != sizeof(cl_mem)) // NOLINT(bugprone-sizeof-expression): a handle
		return CL_INVALID_ARG_SIZE;
	const cl_mem m = handle_at<cl_mem>(value);
	if (m && !buffer_or_none(m))
		return CL_INVALID_MEM_OBJECT;
	a.is = kernel_argument::memory;
	a.buffer = m;
	return CL_SUCCESS;
}

// What a kernel declares is one of these, or of a kind that no object has.
bool is_declared(const char *type, cl_mem_object_type shape)
{
	constexpr struct {
		cl_mem_object_type shape;
		const char *type;
	} types[] = {{CL_MEM_OBJECT_IMAGE1D, "image1d_t"},
		     {CL_MEM_OBJECT_IMAGE1D_BUFFER, "image1d_buffer_t"},
		     {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t"},
		     {CL_MEM_OBJECT_IMAGE2D, "image2d_t"},
		     {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t"},
		     {CL_MEM_OBJECT_IMAGE3D, "image3d_t"}};
	for (const auto &t : types) {
		if (!strcmp(t.type, type))
			return t.shape == shape;
	}
	return true;
}

cl_int take_image(const het_argument_info *declared, size_t size, const void *value, kernel_argument &a)
{
	if (size != sizeof(cl_mem)) // NOLINT(bugprone-sizeof-expression): a handle
		return CL_INVALID_ARG_SIZE;
	const cl_mem m = handle_at<cl_mem>(value);
	if (!image_or_none(m))
		return CL_INVALID_MEM_OBJECT;
	if (declared) {
		const bool is_forbidden = (declared->access & HET_READ_ONLY && m->flags & CL_MEM_WRITE_ONLY) ||
					  (declared->access & HET_WRITE_ONLY && m->flags & CL_MEM_READ_ONLY);
		if (is_forbidden || !is_declared(declared->type, m->image->shape.image_type))
			return CL_INVALID_ARG_VALUE;
	}
	a.is = kernel_argument::picture;
	a.buffer = m;
	return CL_SUCCESS;
}

cl_int take_sampler(size_t size, const void *value, kernel_argument &a)
{
	if (size != sizeof(cl_sampler)) // NOLINT(bugprone-sizeof-expression): a handle
		return CL_INVALID_ARG_SIZE;
	const cl_sampler s = handle_at<cl_sampler>(value);
	if (!is_valid(s))
		return CL_INVALID_SAMPLER;
	a.is = kernel_argument::sampler;
	a.sampled = s;
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
	if (!value)
		return take_local(size, value, a);
	void *h = size == sizeof(h) ? handle_at<void *>(value) : nullptr;
	if (is_slot(h) && buffer_or_none(static_cast<cl_mem>(h)))
		return take_buffer(size, value, a);
	if (is_slot(h) && image_or_none(static_cast<cl_mem>(h)))
		return take_image(nullptr, size, value, a);
	if (is_slot(h) && is_valid(static_cast<cl_sampler>(h)))
		return take_sampler(size, value, a);
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
		return take_image(&p.info, size, value, a);
	case HET_SPACE_SAMPLER:
		return take_sampler(size, value, a);
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
