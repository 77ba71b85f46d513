// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_windows.h"

namespace het::rt
{

namespace
{

constexpr size_t longest_type = 128;

struct argument_of_kernel {
	cl_kernel_arg_address_qualifier where = 0;
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	char type[longest_type] = "";
};

bool find_argument(const opencl_calls &cl, cl_kernel k, cl_uint i, argument_of_kernel &a)
{
	auto is_told = [&](cl_uint what, size_t size, void *answer) {
		return cl.get_kernel_arg_info(k, i, what, size, answer, nullptr) == CL_SUCCESS;
	};
	return cl.get_kernel_arg_info && is_told(CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(a.where), &a.where) &&
	       is_told(CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(a.access), &a.access) &&
	       is_told(CL_KERNEL_ARG_TYPE_NAME, sizeof(a.type), a.type);
}

bool is_memory(const argument_of_kernel &a)
{
	return a.access == CL_KERNEL_ARG_ACCESS_NONE &&
	       (a.where == CL_KERNEL_ARG_ADDRESS_GLOBAL || a.where == CL_KERNEL_ARG_ADDRESS_CONSTANT);
}

const char *space_of(const argument_of_kernel &a)
{
	switch (a.where) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
		return "__global ";
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		return "__constant ";
	case CL_KERNEL_ARG_ADDRESS_LOCAL:
		return "__local ";
	default:
		return "";
	}
}

const char *access_of(const argument_of_kernel &a)
{
	switch (a.access) {
	case CL_KERNEL_ARG_ACCESS_READ_ONLY:
		return "__read_only ";
	case CL_KERNEL_ARG_ACCESS_WRITE_ONLY:
		return "__write_only ";
	case CL_KERNEL_ARG_ACCESS_READ_WRITE:
		return "__read_write ";
	default:
		return "";
	}
}

} // namespace

bool make_window_text(const opencl_calls &cl, cl_kernel k, const char *name, window_text &made)
{
	cl_uint n = 0;
	ask(cl.get_kernel_info, k, CL_KERNEL_NUM_ARGS, n);
	std::string taken, shifts, passed;
	for (cl_uint i = 0; i < n; i++) {
		argument_of_kernel a;
		if (!find_argument(cl, k, i, a))
			return false;
		const std::string own = "het_" + std::to_string(i), between = i ? ", " : "", space = space_of(a);
		if (!is_memory(a)) {
			taken += between + access_of(a) + space + a.type + " " + own;
			passed += between + own;
			continue;
		}
		taken += between + space + "char *" + own;
		passed += between + "(" + space + a.type + ")((size_t)" + own + " + (size_t)" + own + "_shift)";
		shifts += ", ulong " + own + "_shift";
		made.shifts++;
	}
	made.text = std::string("\n__kernel void ") + window_prefix + name + "(" + taken + shifts + ")\n{\n\t" + name +
		    "(" + passed + ");\n}\n";
	return true;
}

} // namespace het::rt
