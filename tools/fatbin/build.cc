// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/build.h"

#include "fatbin/opencl.h"
#include "fatbin/spirv.h"
#include "fatbin/split.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace tool::fat
{

namespace
{

image make_opencl_c(const std::string &source, const std::string &options)
{
	image made;
	made.bytes = source;
	made.options = options;
	size_t at = options.find("-cl-std=CL");
	if (at == options.npos || sscanf(options.c_str() + at, "-cl-std=CL%u.%u", &made.major, &made.minor) != 2) {
		// What compilers take without the option.
		made.major = 1;
		made.minor = 2;
	}
	return made;
}

} // namespace

document build(const std::string &source, const build_request &r)
{
	if (source.find('\0') != source.npos)
		throw std::runtime_error("the source has zero bytes: it is no OpenCL C");
	for (format::target t : r.targets)
		if (t == format::target::ptx || t == format::target::cubin)
			throw std::runtime_error(
				std::string(name_of(t)) +
				" is not made of OpenCL C; het-fatbin add takes what was made elsewhere");
	auto wanted = [&](format::target t) {
		return std::find(r.targets.begin(), r.targets.end(), t) != r.targets.end();
	};
	opencl cl;
	document d;
	d.kernels = cl.describe(source, r.options);
	if (d.kernels.empty())
		throw std::runtime_error("the source has no kernels");
	find_splits(source, r.options, d.kernels);
	if (wanted(format::target::native))
		for (const cl_place &device : cl.devices())
			d.images.push_back(cl.make_native(device, source, r.options));
	if (wanted(format::target::spirv))
		d.images.push_back(make_spirv(source, r.options));
	if (wanted(format::target::opencl_c))
		d.images.push_back(make_opencl_c(source, r.options));
	return d;
}

} // namespace tool::fat
