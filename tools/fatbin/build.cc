// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/build.h"

#include "fatbin/opencl.h"
#include "fatbin/ptx.h"
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
		// Compilers take this version without the option.
		made.major = 1;
		made.minor = 2;
	}
	made.source = source_identity(source, options);
	return made;
}

} // namespace

document build(const std::string &source, const build_request &r)
{
	if (source.find('\0') != source.npos)
		throw std::runtime_error("the source has zero bytes: it is no OpenCL C");
	auto wanted = [&](format::target t) {
		return std::find(r.targets.begin(), r.targets.end(), t) != r.targets.end();
	};
	opencl cl;
	document d;
	d.kernels = cl.describe(source, r.options);
	if (d.kernels.empty())
		throw std::runtime_error("the source has no kernels");
	find_splits(cl, source, r.options, d.kernels);
	if (wanted(format::target::native))
		for (const cl_place &device : cl.devices())
			d.images.push_back(cl.make_native(device, source, r.options));
	if (wanted(format::target::spirv))
		d.images.push_back(make_spirv(source, r.options));
	if (wanted(format::target::ptx) || wanted(format::target::cubin)) {
		image ptx = make_ptx(source, r.options, d.kernels);
		if (wanted(format::target::cubin))
			for (const std::string &name : r.gpus)
				d.images.push_back(make_cubin(ptx, name));
		if (wanted(format::target::ptx))
			d.images.push_back(ptx);
	}
	if (wanted(format::target::opencl_c))
		d.images.push_back(make_opencl_c(source, r.options));
	return d;
}

} // namespace tool::fat
