// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "host_pointer.h"

#include "codes.h"
#include "frees.h"
#include "kernel.h"

#include <CL/cl_ext_het.h>

namespace hetcl
{

namespace
{

// Drivers that do not tell what a kernel takes leave the space 0.
bool may_be_pointer(const parameter &p)
{
	return !p.info.space || p.info.space == HET_SPACE_GLOBAL || p.info.space == HET_SPACE_CONSTANT;
}

// The compiler sees here that the calls are what the header says.
[[maybe_unused]] constexpr clSetKernelArgHostPointerHET_fn set_is_told = set_host_pointer;
[[maybe_unused]] constexpr clForgetHostPointerHET_fn forget_is_told = forget_host_pointer;

} // namespace

cl_int CL_API_CALL set_host_pointer(cl_kernel k, cl_uint i, void *pointer, size_t nbytes)
{
	if (!is_valid(k))
		return CL_INVALID_KERNEL;
	if (i >= k->arguments.size())
		return CL_INVALID_ARG_INDEX;
	if (!nbytes)
		return CL_INVALID_ARG_SIZE;
	const auto begin = reinterpret_cast<uintptr_t>(pointer);
	if (!pointer || begin + nbytes < begin || !may_be_pointer(k->parameters[i]))
		return CL_INVALID_ARG_VALUE;
	watch_frees();
	kernel_argument a;
	a.is = kernel_argument::host_pointer;
	a.pointer = pointer;
	a.nbytes = nbytes;
	k->arguments[i] = std::move(a);
	return CL_SUCCESS;
}

// The end of an object brings its bytes home and unlinks them.
cl_int CL_API_CALL forget_host_pointer(void *pointer, size_t nbytes)
{
	if (!pointer || !nbytes)
		return CL_INVALID_VALUE;
	het_memory *m = nullptr;
	const int err = het_memory_wrap(pointer, nbytes, &m);
	return err ? code_of(err) : code_of(het_memory_release(m));
}

} // namespace hetcl
