// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs are compiled and linked in two steps here.
#include "calls.h"
#include "codes.h"
#include "options.h"
#include "program.h"
#include "recipe.h"

#include <algorithm>
#include <cstring>

namespace hetcl
{

namespace
{

using notify_function = void(CL_CALLBACK *)(cl_program, void *);

// Headers that a source includes by these names.
struct header_list {
	cl_uint n;
	const cl_program *programs;
	const char **names;
};

std::shared_ptr<const recipe> recipe_of(const std::string &source, const std::string &options, const header_list &h)
{
	auto r = std::make_shared<recipe>();
	r->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	r->options = options;
	r->source = source;
	for (cl_uint i = 0; i < h.n; i++)
		r->headers.emplace_back(h.names[i], h.programs[i]->source);
	return r;
}

cl_int compile(_cl_program &p, const std::vector<cl_device_id> &devices, const std::string &options,
	       const header_list &headers)
{
	std::lock_guard g(p.lock);
	const std::shared_ptr<const recipe> how = recipe_of(p.source, options, headers);
	cl_int result = CL_SUCCESS;
	for (cl_device_id d : devices) {
		const int err = make_by(how, *d, *p.on(d));
		if (err && !result)
			result = err == HET_EBUILD ? cl_int{CL_COMPILE_PROGRAM_FAILURE} : code_of(err);
	}
	return result;
}

cl_int check_headers(const header_list &h)
{
	if (!h.n != !h.programs || !h.n != !h.names)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < h.n; i++) {
		if (!h.names[i])
			return CL_INVALID_VALUE;
		if (!is_valid(h.programs[i]))
			return CL_INVALID_PROGRAM;
		if (h.programs[i]->source.empty())
			return CL_INVALID_OPERATION;
	}
	return CL_SUCCESS;
}

bool can_be_linked(const build *b)
{
	return b && (b->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || b->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
}

// Links what the parts have become for one device.
int link_for(cl_device_id d, const std::vector<cl_program> &parts, const std::string &options, build &b)
{
	std::vector<runtime_program> kept; // as others may compile the parts anew
	std::vector<het_program *> objects;
	const bool is_library = options.find("-create-library") != std::string::npos;
	auto how = std::make_shared<recipe>();
	how->type = is_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	how->options = options;
	for (cl_program p : parts) {
		std::lock_guard g(p->lock);
		if (!can_be_linked(p->on(d)))
			return HET_ESTATE;
		kept.push_back(p->on(d)->made);
		objects.push_back(kept.back().get());
		how->parts.push_back(p->on(d)->how);
	}
	het_program_args a = {};
	a.size = sizeof(a);
	a.options = options.c_str();
	a.objects = objects.data();
	a.nobjects = objects.size();
	runtime_program made;
	if (int err = make_program(a, made))
		return err;
	const int err = build_for(*d, made, options, how->type, b);
	if (!err)
		b.how = std::move(how);
	return err;
}

// Returns those of the devices for which all parts were compiled. There is one part at least that was not if the answer
// is an error.
cl_int devices_to_link(const std::vector<cl_device_id> &wanted, const std::vector<cl_program> &parts,
		       std::vector<cl_device_id> &devices)
{
	for (cl_device_id d : wanted) {
		const auto n = std::count_if(parts.begin(), parts.end(), [&](cl_program p) {
			std::lock_guard g(p->lock);
			return can_be_linked(p->on(d));
		});
		if (size_t(n) == parts.size())
			devices.push_back(d);
		else if (n)
			return CL_INVALID_OPERATION;
	}
	return devices.empty() ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_program link(cl_context c, std::vector<cl_device_id> devices, const std::vector<cl_program> &parts,
		const std::string &options, cl_int *error)
{
	auto *p = new _cl_program;
	p->context = held(c);
	p->is_linked = true;
	p->builds.resize(devices.size());
	p->devices = std::move(devices);
	cl_int result = CL_SUCCESS;
	for (size_t i = 0; i < p->devices.size(); i++) {
		const int err = link_for(p->devices[i], parts, options, p->builds[i]);
		if (err && !result)
			result = err == HET_EBUILD ? cl_int{CL_LINK_PROGRAM_FAILURE} : code_of(err);
	}
	return give(p, result, error); // its log says what was wrong
}

} // namespace

cl_int clCompileProgram(cl_program p, cl_uint n, const cl_device_id *given, const char *options, cl_uint nheaders,
			const cl_program *headers, const char **names, notify_function notify, void *arg)
{
	if (!is_valid(p))
		return CL_INVALID_PROGRAM;
	if (!n != !given || (arg && !notify))
		return CL_INVALID_VALUE;
	const header_list list = {nheaders, headers, names};
	if (cl_int err = check_headers(list))
		return err;
	if (!std::all_of(given, given + n, [&](cl_device_id d) { return is_valid(d) && p->on(d); }))
		return CL_INVALID_DEVICE;
	if (p->nkernels || p->source.empty())
		return CL_INVALID_OPERATION;
	if (!are_compiler_options(options))
		return CL_INVALID_COMPILER_OPTIONS;
	const cl_int err = compile(*p, n ? std::vector(given, given + n) : p->devices, options ? options : "", list);
	if (notify)
		notify(p, arg);
	return err;
}

cl_program clLinkProgram(cl_context c, cl_uint n, const cl_device_id *given, const char *options, cl_uint nparts,
			 const cl_program *parts, notify_function notify, void *arg, cl_int *error)
{
	if (!is_valid(c))
		return refuse(CL_INVALID_CONTEXT, error);
	if (!n != !given || !nparts || !parts || (arg && !notify))
		return refuse(CL_INVALID_VALUE, error);
	if (!std::all_of(parts, parts + nparts, [](cl_program p) { return is_valid(p); }))
		return refuse(CL_INVALID_PROGRAM, error);
	if (!std::all_of(given, given + n, [&](cl_device_id d) { return is_valid(d) && c->has(d); }))
		return refuse(CL_INVALID_DEVICE, error);
	if (!are_linker_options(options))
		return refuse(CL_INVALID_LINKER_OPTIONS, error);
	const std::vector<cl_program> all(parts, parts + nparts);
	std::vector<cl_device_id> devices;
	if (cl_int err = devices_to_link(n ? std::vector(given, given + n) : c->devices, all, devices))
		return refuse(err, error);
	cl_program p = link(c, std::move(devices), all, options ? options : "", error);
	if (notify)
		notify(p, arg);
	return p;
}

} // namespace hetcl
