// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "kernel.h"

#include "calls.h"
#include "codes.h"
#include "info.h"

#include <algorithm>
#include <cstring>

namespace hetcl
{

namespace
{

using kernel = _cl_kernel;

// The program's lock is held.
cl_int open_all(kernel &k)
{
	for (const build &b : k.program->builds) {
		const bool is_there = std::any_of(k.kernels.begin(), k.kernels.end(),
						  [&](const kernel::made &m) { return m.of == b.made; });
		if (b.status != CL_BUILD_SUCCESS || b.type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE || is_there)
			continue;
		het_kernel *made = nullptr;
		if (int err = het_kernel_create(b.made.get(), k.name.c_str(), &made))
			return code_of(err);
		k.kernels.push_back({b.made, runtime_kernel(made)});
	}
	return k.kernels.empty() ? CL_INVALID_PROGRAM_EXECUTABLE : CL_SUCCESS;
}

bool is_among(const std::string &name, const std::string &names)
{
	return (";" + names + ";").find(";" + name + ";") != std::string::npos;
}

void describe(kernel &k)
{
	het_kernel_info info = {};
	info.size = sizeof(info);
	het_kernel_describe(k.kernels[0].kernel.get(), &info);
	k.parameters.resize(info.nargs);
	k.arguments.resize(info.nargs);
	for (uint32_t i = 0; i < info.nargs; i++) {
		het_argument_info &a = k.parameters[i].info;
		a.size = sizeof(a);
		het_kernel_argument(k.kernels[0].kernel.get(), i, &a);
	}
}

group_limits limits_of(het_kernel *k, cl_device_id d)
{
	group_limits l = {d, SIZE_MAX};
	for (het_device *m : d->members) {
		size_t most = 0;
		het_kernel_opencl_info(k, m, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, nullptr);
		het_kernel_opencl_info(k, m, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(l.required), l.required,
				       nullptr);
		l.most = std::min(l.most, most);
	}
	return l;
}

cl_kernel make(_cl_program &p, const std::string &name, cl_int *error)
{
	auto *k = new kernel;
	k->program = held(&p);
	p.nkernels++;
	k->name = name;
	if (cl_int err = open_all(*k)) {
		let_go(k);
		return refuse(err, error);
	}
	describe(*k);
	for (cl_device_id d : p.devices) {
		if (het_kernel *on = k->on(d))
			k->limits.push_back(limits_of(on, d));
	}
	return give(k, CL_SUCCESS, error);
}

std::string attributes_of(const kernel &k)
{
	size_t n = 0;
	const cl_device_id d = k.program->built_device();
	het_kernel *on = d ? k.on(d) : nullptr;
	if (!on || het_kernel_opencl_info(on, d->members[0], CL_KERNEL_ATTRIBUTES, 0, nullptr, &n) || !n)
		return "";
	std::string s(n, 0);
	het_kernel_opencl_info(on, d->members[0], CL_KERNEL_ATTRIBUTES, n, s.data(), nullptr);
	s.resize(strlen(s.c_str()));
	return s;
}

const info_row<kernel> rows[] = {
	{CL_KERNEL_FUNCTION_NAME, [](const kernel &k, answer &a) { return a.text(k.name); }},
	{CL_KERNEL_NUM_ARGS, [](const kernel &k, answer &a) { return a.value(cl_uint(k.arguments.size())); }},
	{CL_KERNEL_REFERENCE_COUNT, [](const kernel &k, answer &a) { return a.value(k.references.load()); }},
	{CL_KERNEL_CONTEXT, [](const kernel &k, answer &a) { return a.value(k.program->context.get()); }},
	{CL_KERNEL_PROGRAM, [](const kernel &k, answer &a) { return a.value(k.program.get()); }},
	{CL_KERNEL_ATTRIBUTES, [](const kernel &k, answer &a) { return a.text(attributes_of(k)); }},
};

cl_kernel_arg_address_qualifier address_of(const het_argument_info &i)
{
	switch (i.space) {
	case HET_SPACE_GLOBAL:
	case HET_SPACE_IMAGE:
		return CL_KERNEL_ARG_ADDRESS_GLOBAL;
	case HET_SPACE_CONSTANT:
		return CL_KERNEL_ARG_ADDRESS_CONSTANT;
	case HET_SPACE_LOCAL:
		return CL_KERNEL_ARG_ADDRESS_LOCAL;
	default:
		return CL_KERNEL_ARG_ADDRESS_PRIVATE;
	}
}

cl_kernel_arg_access_qualifier access_of(const het_argument_info &i)
{
	if (i.space != HET_SPACE_IMAGE)
		return CL_KERNEL_ARG_ACCESS_NONE;
	return i.access == HET_READ_ONLY    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
	       : i.access == HET_WRITE_ONLY ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
					    : CL_KERNEL_ARG_ACCESS_READ_WRITE;
}

cl_kernel_arg_type_qualifier qualifiers_of(const het_argument_info &i)
{
	return (i.qualifiers & HET_QUALIFIED_CONST ? CL_KERNEL_ARG_TYPE_CONST : 0) |
	       (i.qualifiers & HET_QUALIFIED_RESTRICT ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
	       (i.qualifiers & HET_QUALIFIED_VOLATILE ? CL_KERNEL_ARG_TYPE_VOLATILE : 0);
}

const info_row<parameter> parameter_rows[] = {
	{CL_KERNEL_ARG_ADDRESS_QUALIFIER, [](const parameter &p, answer &a) { return a.value(address_of(p.info)); }},
	{CL_KERNEL_ARG_ACCESS_QUALIFIER, [](const parameter &p, answer &a) { return a.value(access_of(p.info)); }},
	{CL_KERNEL_ARG_TYPE_NAME, [](const parameter &p, answer &a) { return a.text(p.info.type); }},
	{CL_KERNEL_ARG_TYPE_QUALIFIER, [](const parameter &p, answer &a) { return a.value(qualifiers_of(p.info)); }},
	{CL_KERNEL_ARG_NAME, [](const parameter &p, answer &a) { return a.text(p.info.name); }},
};

// A kernel on a device.
struct placed {
	het_kernel *kernel;
	cl_device_id device;
};

template <class T> T ask(const placed &p, het_device *m, cl_kernel_work_group_info what)
{
	T got = {};
	het_kernel_opencl_info(p.kernel, m, what, sizeof(got), &got, nullptr);
	return got;
}

template <class T> T least(const placed &p, cl_kernel_work_group_info what)
{
	T value = ask<T>(p, p.device->members[0], what);
	for (het_device *m : p.device->members)
		value = std::min(value, ask<T>(p, m, what));
	return value;
}

template <class T> T most(const placed &p, cl_kernel_work_group_info what)
{
	T value = {};
	for (het_device *m : p.device->members)
		value = std::max(value, ask<T>(p, m, what));
	return value;
}

struct sizes {
	size_t in[3];
};

const info_row<placed> group_rows[] = {
	{CL_KERNEL_WORK_GROUP_SIZE,
	 [](const placed &p, answer &a) { return a.value(least<size_t>(p, CL_KERNEL_WORK_GROUP_SIZE)); }},
	{CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
	 [](const placed &p, answer &a) {
		 return a.value(ask<sizes>(p, p.device->members[0], CL_KERNEL_COMPILE_WORK_GROUP_SIZE));
	 }},
	{CL_KERNEL_LOCAL_MEM_SIZE,
	 [](const placed &p, answer &a) { return a.value(most<cl_ulong>(p, CL_KERNEL_LOCAL_MEM_SIZE)); }},
	{CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
	 [](const placed &p, answer &a) {
		 return a.value(most<size_t>(p, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
	 }},
	{CL_KERNEL_PRIVATE_MEM_SIZE,
	 [](const placed &p, answer &a) { return a.value(most<cl_ulong>(p, CL_KERNEL_PRIVATE_MEM_SIZE)); }},
	// There are no devices or kernels of a custom kind.
	{CL_KERNEL_GLOBAL_WORK_SIZE, [](const placed &, answer &) { return cl_int{CL_INVALID_VALUE}; }},
};

} // namespace

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *error)
{
	if (!is_valid(p))
		return refuse(CL_INVALID_PROGRAM, error);
	if (!name)
		return refuse(CL_INVALID_VALUE, error);
	std::lock_guard g(p->lock);
	if (!p->built_device())
		return refuse(CL_INVALID_PROGRAM_EXECUTABLE, error);
	if (!is_among(name, kernel_names(*p)))
		return refuse(CL_INVALID_KERNEL_NAME, error);
	return make(*p, name, error);
}

cl_int clCreateKernelsInProgram(cl_program p, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
	if (!is_valid(p))
		return CL_INVALID_PROGRAM;
	std::lock_guard g(p->lock);
	if (!p->built_device())
		return CL_INVALID_PROGRAM_EXECUTABLE;
	const std::string names = kernel_names(*p);
	const auto n = cl_uint(std::count(names.begin(), names.end(), ';')) + !names.empty();
	if (kernels && room < n)
		return CL_INVALID_VALUE;
	if (count)
		*count = n;
	size_t at = 0;
	for (cl_uint i = 0; kernels && i < n; i++) {
		const size_t end = std::min(names.find(';', at), names.size());
		cl_int err = CL_SUCCESS;
		kernels[i] = make(*p, names.substr(at, end - at), &err);
		if (err)
			return err;
		at = end + 1;
	}
	return CL_SUCCESS;
}

cl_kernel clCloneKernel(cl_kernel from, cl_int *error)
{
	if (!is_valid(from))
		return refuse(CL_INVALID_KERNEL, error);
	std::lock_guard g(from->program->lock);
	cl_kernel k = make(*from->program, from->name, error);
	if (k)
		k->arguments = from->arguments;
	return k;
}

cl_int clRetainKernel(cl_kernel k)
{
	return retain(k, CL_INVALID_KERNEL);
}

cl_int clReleaseKernel(cl_kernel k)
{
	return release(k, CL_INVALID_KERNEL);
}

cl_int clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t room, void *value, size_t *size)
{
	return is_valid(k) ? look_up(rows, what, *k, {room, value, size}) : CL_INVALID_KERNEL;
}

cl_int clGetKernelArgInfo(cl_kernel k, cl_uint i, cl_kernel_arg_info what, size_t room, void *value, size_t *size)
{
	if (!is_valid(k))
		return CL_INVALID_KERNEL;
	if (i >= k->parameters.size())
		return CL_INVALID_ARG_INDEX;
	const parameter &p = k->parameters[i];
	return p.info.space ? look_up(parameter_rows, what, p, {room, value, size}) : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t room, void *value,
				size_t *size)
{
	if (!is_valid(k))
		return CL_INVALID_KERNEL;
	// The device may be left out if there is but one.
	if (!d && k->program->devices.size() == 1)
		d = k->program->devices[0];
	het_kernel *on = is_valid(d) ? k->on(d) : nullptr;
	return on ? look_up(group_rows, what, placed{on, d}, {room, value, size}) : CL_INVALID_DEVICE;
}

cl_int clGetKernelSubGroupInfo(cl_kernel k, cl_device_id, cl_kernel_sub_group_info, size_t, const void *, size_t,
			       void *, size_t *)
{
	return is_valid(k) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL; // no device has sub-groups
}

} // namespace hetcl

_cl_kernel::~_cl_kernel()
{
	kernels.clear();
	program->nkernels--;
}

// Devices that were built for by one call share a program of the runtime's.
het_kernel *_cl_kernel::on(cl_device_id d) const
{
	const hetcl::build *b = program->on(d);
	for (const made &m : kernels) {
		if (b && b->made && m.of == b->made)
			return m.kernel.get();
	}
	return nullptr;
}

const hetcl::group_limits &_cl_kernel::limits_on(cl_device_id d) const
{
	return *std::find_if(limits.begin(), limits.end(), [&](const hetcl::group_limits &l) { return l.device == d; });
}
