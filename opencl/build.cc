// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs are compiled for their devices here, for all members of those that are several.
#include "calls.h"
#include "codes.h"
#include "fat_binary.h"
#include "image_formats.h"
#include "options.h"
#include "program.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hetcl
{

int make_program(const het_program_args &args, runtime_program &made)
{
	het_program *p = nullptr;
	const int err = het_program_create(&args, &p);
	if (!err)
		made = runtime_program(p, [](het_program *last) { het_program_release(last); });
	return err;
}

std::string text_for_drivers(const std::string &source, const std::vector<cl_device_id> &devices)
{
	return have_images(devices) ? source : "#undef __IMAGE_SUPPORT__\n#line 1\n" + source;
}

int build_for(const _cl_device_id &d, const runtime_program &p, const std::string &options, cl_program_binary_type type,
	      build &b)
{
	int failure = 0;
	b.options = options;
	b.log.clear();
	for (het_device *m : d.members) {
		const int err = het_program_build(p.get(), m);
		b.log += het_program_log(p.get(), m);
		failure = failure ? failure : err;
	}
	b.status = failure ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
	b.type = failure ? CL_PROGRAM_BINARY_TYPE_NONE : type;
	b.made = failure ? nullptr : p;
	b.how = nullptr;
	return failure;
}

namespace
{

int make_from_source(const _cl_program &p, const std::string &options, runtime_program &made)
{
	const std::string text = text_for_drivers(p.source, p.devices);
	het_program_args a = {};
	a.size = sizeof(a);
	a.source = text.c_str();
	a.options = options.c_str();
	return make_program(a, made);
}

// A launch may be shared where an analysis of the kernel has found that its groups do not meet. HET_OPENCL_ANALYSE=0
// does without.
bool is_analysis_wanted()
{
	const char *text = getenv("HET_OPENCL_ANALYSE");
	return !text || strcmp(text, "0") != 0;
}

// Returns null if the analysis can't be had.
runtime_program make_analysed(_cl_program &p, const std::string &options)
{
	runtime_program made;
	if (!is_analysis_wanted() || p.source.empty())
		return made;
	p.made_binary = make_fat_binary(text_for_drivers(p.source, p.devices), options);
	p.made_with = options;
	if (p.made_binary.empty())
		return made;
	het_program_args a = {};
	a.size = sizeof(a);
	a.fat_binary = p.made_binary.data();
	a.fat_binary_size = p.made_binary.size();
	make_program(a, made);
	return made;
}

// One program of the runtime's serves all devices that are built for by one call.
cl_int build_all(_cl_program &p, const std::vector<cl_device_id> &devices, const char *given)
{
	const std::string options = given ? given : "";
	runtime_program shared;
	if (p.binary.empty()) {
		if (int err = make_from_source(p, options, shared))
			return code_of(err);
	}
	const bool is_shared =
		std::any_of(devices.begin(), devices.end(), [](cl_device_id d) { return d->members.size() > 1; });
	const runtime_program analysed = is_shared ? make_analysed(p, options) : nullptr;
	cl_int result = CL_SUCCESS;
	for (cl_device_id d : devices) {
		const runtime_program made = analysed && d->members.size() > 1 ? analysed
					     : shared                          ? shared
									       : p.on(d)->made;
		if (!made)
			return CL_INVALID_BINARY;
		const int err = build_for(*d, made, options, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, *p.on(d));
		if (!result && err)
			result = err == HET_ENODEV ? cl_int{CL_BUILD_PROGRAM_FAILURE} : code_of(err);
	}
	return result;
}

} // namespace

cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *given, const char *options,
		      void(CL_CALLBACK *notify)(cl_program, void *), void *arg)
{
	if (!is_valid(p))
		return CL_INVALID_PROGRAM;
	if (!n != !given || (arg && !notify))
		return CL_INVALID_VALUE;
	if (!std::all_of(given, given + n, [&](cl_device_id d) { return is_valid(d) && p->on(d); }))
		return CL_INVALID_DEVICE;
	if (!are_compiler_options(options))
		return CL_INVALID_BUILD_OPTIONS;
	cl_int err;
	{
		std::lock_guard g(p->lock);
		if (p->nkernels || p->is_linked)
			return CL_INVALID_OPERATION;
		err = build_all(*p, n ? std::vector(given, given + n) : p->devices, options);
	}
	if (notify)
		notify(p, arg);
	return err;
}

} // namespace hetcl
