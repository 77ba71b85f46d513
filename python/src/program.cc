// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "program.h"

#include "errors.h"
#include "object.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

namespace het::python
{

namespace
{

const char *text(const std::optional<std::string> &s)
{
	return s ? s->c_str() : nullptr;
}

} // namespace

program::program(const sources &s)
{
	std::vector<het_function> functions;
	for (const host_function &f : s.functions)
		functions.push_back({f.name.c_str(), reinterpret_cast<het_kernel_fn>(f.address), f.nargs});
	std::vector<het_image> images;
	for (const image &i : s.images)
		images.push_back({i.kind, 0, i.bytes.data(), i.bytes.size()});
	het_program_args a = {};
	a.size = sizeof(a);
	a.source = text(s.source);
	a.options = text(s.options);
	a.functions = functions.data();
	a.nfunctions = functions.size();
	a.images = images.data();
	a.nimages = images.size();
	a.fat_binary = s.fat_binary ? s.fat_binary->data() : nullptr;
	a.fat_binary_size = s.fat_binary ? s.fat_binary->size() : 0;
	a.file = text(s.file);
	a.section = text(s.section);
	a.instruments = s.instruments;
	check(het_program_create(&a, &p_));
}

void program::build(het_device *device)
{
	int err;
	{
		without_gil g;
		err = het_program_build(p_, device);
	}
	check(err);
}

std::string program::kernel_names(het_device *device) const
{
	size_t nbytes = 0;
	int err;
	{
		without_gil g;
		err = het_program_opencl_info(p_, device, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &nbytes);
	}
	std::string names(nbytes, '\0');
	if (!err)
		err = het_program_opencl_info(p_, device, CL_PROGRAM_KERNEL_NAMES, names.size(), names.data(), &nbytes);
	if (err == HET_ENODEV || err == HET_EARG)
		return {};
	check(err);
	return names.c_str();
}

} // namespace het::python
