// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "program.h"

#include "calls.h"
#include "codes.h"
#include "fat_binary.h"
#include "info.h"
#include "recipe.h"

#include <algorithm>
#include <cstring>

namespace hetcl
{

namespace
{

using program = _cl_program;

program *make(cl_context c, std::vector<cl_device_id> devices)
{
	auto *p = new program;
	p->context = held(c);
	p->builds.resize(devices.size());
	p->devices = std::move(devices);
	return p;
}

// An object or a library can be linked at once; what is to run is built by another call first.
int load(std::span<const char> bytes, const _cl_device_id &d, build &b)
{
	int err = 0;
	if (const auto how = read_recipe(bytes)) {
		err = make_by(how, d, b);
	} else {
		het_program_args a = {};
		a.size = sizeof(a);
		a.fat_binary = bytes.data();
		a.fat_binary_size = bytes.size();
		err = make_program(a, b.made);
		b.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	}
	if (b.type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		b.status = CL_BUILD_NONE;
	return err;
}

// Answers for each device: sizes, or bytes at addresses that the program gives.
cl_int put_binaries(program &p, cl_program_info what, answer &a)
{
	std::vector<std::vector<char>> binaries;
	for (cl_device_id d : p.devices)
		binaries.push_back(binary_of(p, d));
	if (what == CL_PROGRAM_BINARY_SIZES) {
		std::vector<size_t> sizes;
		for (const auto &b : binaries)
			sizes.push_back(b.size());
		return a.list(sizes);
	}
	const size_t room = binaries.size() * sizeof(char *);
	if (a.place() && a.room() < room)
		return CL_INVALID_VALUE;
	auto *places = static_cast<char **>(a.place());
	for (size_t i = 0; places && i < binaries.size(); i++) {
		if (places[i] && !binaries[i].empty())
			memcpy(places[i], binaries[i].data(), binaries[i].size());
	}
	if (a.size_place())
		*a.size_place() = room;
	return CL_SUCCESS;
}

cl_int put_names(program &p, cl_program_info what, answer &a)
{
	if (!p.built_device())
		return CL_INVALID_PROGRAM_EXECUTABLE;
	const std::string names = kernel_names(p);
	const auto n = size_t(std::count(names.begin(), names.end(), ';')) + !names.empty();
	return what == CL_PROGRAM_KERNEL_NAMES ? a.text(names) : a.value(n);
}

// Rows get what may build or change what is kept, under its lock.
struct question {
	program &p;
};

const info_row<question> rows[] = {
	{CL_PROGRAM_REFERENCE_COUNT, [](const question &q, answer &a) { return a.value(q.p.references.load()); }},
	{CL_PROGRAM_CONTEXT, [](const question &q, answer &a) { return a.value(q.p.context.get()); }},
	{CL_PROGRAM_NUM_DEVICES, [](const question &q, answer &a) { return a.value(cl_uint(q.p.devices.size())); }},
	{CL_PROGRAM_DEVICES, [](const question &q, answer &a) { return a.list(q.p.devices); }},
	{CL_PROGRAM_SOURCE, [](const question &q, answer &a) { return a.text(q.p.source); }},
	{CL_PROGRAM_IL, [](const question &, answer &a) { return a.nothing(); }},
	{CL_PROGRAM_BINARY_SIZES,
	 [](const question &q, answer &a) { return put_binaries(q.p, CL_PROGRAM_BINARY_SIZES, a); }},
	{CL_PROGRAM_BINARIES, [](const question &q, answer &a) { return put_binaries(q.p, CL_PROGRAM_BINARIES, a); }},
	{CL_PROGRAM_NUM_KERNELS,
	 [](const question &q, answer &a) { return put_names(q.p, CL_PROGRAM_NUM_KERNELS, a); }},
	{CL_PROGRAM_KERNEL_NAMES,
	 [](const question &q, answer &a) { return put_names(q.p, CL_PROGRAM_KERNEL_NAMES, a); }},
	{CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, [](const question &, answer &a) { return a.value(cl_bool{CL_FALSE}); }},
	{CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, [](const question &, answer &a) { return a.value(cl_bool{CL_FALSE}); }},
};

const info_row<build> build_rows[] = {
	{CL_PROGRAM_BUILD_STATUS, [](const build &b, answer &a) { return a.value(b.status); }},
	{CL_PROGRAM_BUILD_OPTIONS, [](const build &b, answer &a) { return a.text(b.options); }},
	{CL_PROGRAM_BUILD_LOG, [](const build &b, answer &a) { return a.text(b.log); }},
	{CL_PROGRAM_BINARY_TYPE, [](const build &b, answer &a) { return a.value(b.type); }},
	{CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, [](const build &, answer &a) { return a.value(size_t{0}); }},
};

} // namespace

const std::vector<char> &fat_binary_of(program &p, const _cl_device_id &d, const std::string &options)
{
	std::string text = text_for_drivers(p.source, d);
	if (p.made_binary.empty() || p.made_with != options || p.made_of != text) {
		p.made_binary = make_fat_binary(text, options, d);
		p.made_of = std::move(text);
		p.made_with = options;
	}
	return p.made_binary;
}

// A binary is made when somebody asks for it.
std::vector<char> binary_of(program &p, cl_device_id d)
{
	const build &b = *p.on(d);
	if (b.how)
		return to_bytes(*b.how);
	if (b.type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		return {};
	const bool is_made = !p.binary.empty() || p.source.empty();
	return is_made ? p.binary : fat_binary_of(p, *d, b.options);
}

std::string kernel_names(program &p)
{
	const cl_device_id d = p.built_device();
	size_t n = 0;
	if (!d || het_program_opencl_info(p.on(d)->made.get(), d->members[0], CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &n))
		return "";
	std::string names(n, 0);
	het_program_opencl_info(p.on(d)->made.get(), d->members[0], CL_PROGRAM_KERNEL_NAMES, n, names.data(), nullptr);
	names.resize(strlen(names.c_str()));
	return names;
}

cl_program clCreateProgramWithSource(cl_context c, cl_uint n, const char **texts, const size_t *lengths, cl_int *error)
{
	if (!is_valid(c))
		return refuse(CL_INVALID_CONTEXT, error);
	if (!n || !texts || std::find(texts, texts + n, nullptr) != texts + n)
		return refuse(CL_INVALID_VALUE, error);
	program *p = make(c, c->devices);
	for (cl_uint i = 0; i < n; i++)
		p->source.append(texts[i], lengths && lengths[i] ? lengths[i] : strlen(texts[i]));
	return give(p, CL_SUCCESS, error);
}

// All devices are to have the same bytes: a fat binary is for every machine.
cl_program clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *devices, const size_t *sizes,
				     const unsigned char **binaries, cl_int *states, cl_int *error)
{
	if (!is_valid(c))
		return refuse(CL_INVALID_CONTEXT, error);
	if (!n || !devices || !sizes || !binaries)
		return refuse(CL_INVALID_VALUE, error);
	if (!std::all_of(devices, devices + n, [&](cl_device_id d) { return is_valid(d) && c->has(d); }))
		return refuse(CL_INVALID_DEVICE, error);
	cl_int result = CL_SUCCESS;
	program *p = make(c, {devices, devices + n});
	for (cl_uint i = 0; i < n; i++) {
		cl_int state = binaries[i] && sizes[i] ? CL_SUCCESS : CL_INVALID_VALUE;
		if (!state && load({reinterpret_cast<const char *>(binaries[i]), sizes[i]}, *devices[i], p->builds[i]))
			state = CL_INVALID_BINARY;
		if (states)
			states[i] = state;
		result = result ? result : state;
		if (!state && p->binary.empty())
			p->binary.assign(binaries[i], binaries[i] + sizes[i]);
	}
	if (!result)
		return give(p, CL_SUCCESS, error);
	let_go(p);
	return refuse(result, error);
}

cl_program clCreateProgramWithBuiltInKernels(cl_context c, cl_uint n, const cl_device_id *devices, const char *names,
					     cl_int *error)
{
	if (!is_valid(c))
		return refuse(CL_INVALID_CONTEXT, error);
	if (!n || !devices || !names)
		return refuse(CL_INVALID_VALUE, error);
	const bool known = std::all_of(devices, devices + n, [&](cl_device_id d) { return is_valid(d) && c->has(d); });
	return refuse(known ? CL_INVALID_VALUE : CL_INVALID_DEVICE, error); // no device has any
}

cl_program clCreateProgramWithIL(cl_context c, const void *, size_t, cl_int *error)
{
	return refuse(is_valid(c) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, error);
}

cl_int clRetainProgram(cl_program p)
{
	return retain(p, CL_INVALID_PROGRAM);
}

cl_int clReleaseProgram(cl_program p)
{
	return release(p, CL_INVALID_PROGRAM);
}

cl_int clSetProgramReleaseCallback(cl_program p, void(CL_CALLBACK *)(cl_program, void *), void *)
{
	return is_valid(p) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int clSetProgramSpecializationConstant(cl_program p, cl_uint, size_t, const void *)
{
	return is_valid(p) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int clGetProgramInfo(cl_program p, cl_program_info what, size_t room, void *value, size_t *size)
{
	if (!is_valid(p))
		return CL_INVALID_PROGRAM;
	std::lock_guard g(p->lock);
	return look_up(rows, what, question{*p}, {room, value, size});
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info what, size_t room, void *value,
			     size_t *size)
{
	if (!is_valid(p))
		return CL_INVALID_PROGRAM;
	std::lock_guard g(p->lock);
	const build *b = is_valid(d) ? p->on(d) : nullptr;
	return b ? look_up(build_rows, what, *b, {room, value, size}) : CL_INVALID_DEVICE;
}

} // namespace hetcl
