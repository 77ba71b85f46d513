// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Drivers tell what is known of a kernel of theirs, and of its arguments.
#include "dev/opencl_program.h"

#include <cstring>
#include <new>

namespace het::rt
{

namespace
{

// Calls clGet...Info() for an answer of any size, by get_info(room, answer, nbytes). Returns null if there is none.
template <typename F> text read_text(F get_info)
{
	size_t n = 0;
	if (get_info(0, nullptr, &n) != CL_SUCCESS)
		return nullptr;
	text made(new (std::nothrow) char[n + 1]());
	if (made && get_info(n, made.get(), nullptr) != CL_SUCCESS)
		made.reset();
	return made;
}

uint32_t space_of(parameter::kind is, bool is_constant)
{
	switch (is) {
	case parameter::value:
		return HET_SPACE_VALUE;
	case parameter::memory:
		return is_constant ? HET_SPACE_CONSTANT : HET_SPACE_GLOBAL;
	case parameter::local:
		return HET_SPACE_LOCAL;
	case parameter::texture:
		return HET_SPACE_IMAGE;
	case parameter::sampler:
		return HET_SPACE_SAMPLER;
	case parameter::unknown:
		break;
	}
	return 0;
}

uint32_t qualifiers_of(cl_kernel_arg_type_qualifier q)
{
	return (q & CL_KERNEL_ARG_TYPE_CONST ? HET_QUALIFIED_CONST : 0) |
	       (q & CL_KERNEL_ARG_TYPE_RESTRICT ? HET_QUALIFIED_RESTRICT : 0) |
	       (q & CL_KERNEL_ARG_TYPE_VOLATILE ? HET_QUALIFIED_VOLATILE : 0);
}

} // namespace

bool opencl_kernel::read_texts(cl_uint i, argument_texts &to) const
{
	auto read = [&](cl_uint what) {
		return read_text([&](size_t room, void *answer, size_t *nbytes) {
			return cl_.get_kernel_arg_info(handle_, i, what, room, answer, nbytes);
		});
	};
	if (!to.name)
		to.name = read(CL_KERNEL_ARG_NAME);
	if (!to.type)
		to.type = read(CL_KERNEL_ARG_TYPE_NAME);
	return to.name && to.type;
}

uint32_t opencl_kernel::access_of(cl_uint i) const
{
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	cl_kernel_arg_type_qualifier qualifiers = 0;
	cl_.get_kernel_arg_info(handle_, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, nullptr);
	cl_.get_kernel_arg_info(handle_, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifiers), &qualifiers, nullptr);
	switch (parameters_[i].is) {
	case parameter::memory:
		return qualifiers & CL_KERNEL_ARG_TYPE_CONST ? HET_READ_ONLY : HET_READ_WRITE;
	case parameter::local:
		return HET_READ_WRITE;
	case parameter::texture:
		return access == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? HET_READ_ONLY
		       : access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? HET_WRITE_ONLY
								   : HET_READ_WRITE;
	default:
		return 0;
	}
}

int opencl_kernel::describe_argument(uint32_t i, het_argument_info &info)
{
	if (!parameters_ || parameters_[i].is == parameter::unknown)
		return HET_ESTATE;
	if (!texts_)
		texts_.reset(new (std::nothrow) argument_texts[nargs_]);
	if (!texts_ || !read_texts(i, texts_[i]))
		return HET_ESTATE;
	cl_kernel_arg_address_qualifier where = 0;
	cl_kernel_arg_type_qualifier qualifiers = 0;
	cl_.get_kernel_arg_info(handle_, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(where), &where, nullptr);
	cl_.get_kernel_arg_info(handle_, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifiers), &qualifiers, nullptr);
	bool is_constant = where == CL_KERNEL_ARG_ADDRESS_CONSTANT;
	info.space = space_of(parameters_[i].is, is_constant);
	info.access = is_constant ? uint32_t{HET_READ_ONLY} : access_of(i);
	info.name = texts_[i].name.get();
	info.type = texts_[i].type.get();
	info.qualifiers = qualifiers_of(qualifiers);
	info.nbytes = parameters_[i].nbytes;
	return 0;
}

int opencl_kernel::opencl_info(const opencl_question &q) const
{
	constexpr uint32_t first = CL_KERNEL_FUNCTION_NAME, last = CL_KERNEL_ATTRIBUTES;
	return answer(q, [&](cl_uint what, size_t room, void *to, size_t *nbytes) {
		return what >= first && what <= last
			       ? cl_.get_kernel_info(handle_, what, room, to, nbytes)
			       : cl_.get_kernel_work_group_info(handle_, id_, what, room, to, nbytes);
	});
}

} // namespace het::rt
