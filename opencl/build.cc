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

std::string text_for_drivers(const std::string &source, const _cl_device_id &d)
{
	const bool hides = d.members.size() > 1 && !have_images({const_cast<cl_device_id>(&d)});
	return hides ? "#undef __IMAGE_SUPPORT__\n#line 1\n" + source : source;
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

// Programs of the runtime's by their text: each serves all devices that are built for by one call and have it.
class programs_of_source
{
      public:
	programs_of_source(const _cl_program &p, const std::string &options) : source_(p.source), options_(options) {}

	int find(const _cl_device_id &d, runtime_program &found)
	{
		std::string text = text_for_drivers(source_, d);
		const auto at =
			std::find_if(made_.begin(), made_.end(), [&](const auto &m) { return m.first == text; });
		if (at != made_.end()) {
			found = at->second;
			return 0;
		}
		het_program_args a = {};
		a.size = sizeof(a);
		a.source = text.c_str();
		a.options = options_.c_str();
		if (int err = make_program(a, found))
			return err;
		made_.emplace_back(std::move(text), found);
		return 0;
	}

      private:
	const std::string &source_, &options_;
	std::vector<std::pair<std::string, runtime_program>> made_;
};

// A launch may be shared where an analysis of the kernel has found that its groups do not meet. HET_OPENCL_ANALYSE=0
// does without.
bool is_analysis_wanted()
{
	const char *text = getenv("HET_OPENCL_ANALYSE");
	return !text || strcmp(text, "0") != 0;
}

// Returns null if the analysis can't be had.
runtime_program make_analysed(_cl_program &p, const _cl_device_id &d, const std::string &options)
{
	runtime_program made;
	if (!is_analysis_wanted() || p.source.empty())
		return made;
	const std::vector<char> &bytes = fat_binary_of(p, d, options);
	if (bytes.empty())
		return made;
	het_program_args a = {};
	a.size = sizeof(a);
	a.fat_binary = bytes.data();
	a.fat_binary_size = bytes.size();
	make_program(a, made);
	return made;
}

cl_int build_all(_cl_program &p, const std::vector<cl_device_id> &devices, const char *given)
{
	const std::string options = given ? given : "";
	programs_of_source all(p, options);
	cl_int result = CL_SUCCESS;
	for (cl_device_id d : devices) {
		runtime_program made = p.on(d)->made;
		if (p.binary.empty()) {
			if (int err = all.find(*d, made))
				return code_of(err);
			if (runtime_program analysed = d->members.size() > 1 ? make_analysed(p, *d, options) : nullptr)
				made = std::move(analysed);
		}
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
