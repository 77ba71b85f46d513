// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "image.h"

#include "interface.h"

#include <cstring>
#include <span>

namespace het_omp
{

image::~image()
{
	for (const function &f : functions_)
		het_kernel_release(f.kernel);
	if (program_)
		het_program_release(program_);
}

bool image::load()
{
	if (!build() || !find_functions() || !find_variables())
		return false;
	find_told_variable();
	return true;
}

bool image::build()
{
	std::vector<het_image> objects;
	for (const ptx_object &o : std::span(data->objects, data->nobjects))
		objects.push_back({HET_IMAGE_PTX, 0, o.text, strnlen(o.text, o.nbytes)});
	het_program_args args = {};
	args.size = sizeof args;
	args.images = objects.data();
	args.nimages = objects.size();
	return !het_program_create(&args, &program_) && !het_program_build(program_, device_);
}

bool image::find_functions()
{
	het_device_info device = {};
	device.size = sizeof device;
	if (het_device_describe(device_, &device))
		return false;
	for (const image_function &f : std::span(data->functions, data->nfunctions)) {
		functions_.push_back({f.name, nullptr, {}});
		function &made = functions_.back();
		het_kernel_needs needs = {};
		needs.size = sizeof needs;
		if (het_kernel_create(program_, f.name, &made.kernel)) {
			functions_.pop_back();
			return false;
		}
		if (het_kernel_limits(made.kernel, device_, &needs))
			return false;
		made.has = {needs.group_size, needs.registers, needs.unit_registers, device.units};
		const auto at = reinterpret_cast<uintptr_t>(&made);
		table_.push_back({at, at + 1});
	}
	return true;
}

bool image::find_variables()
{
	for (const char *name : std::span(data->variables, data->nvariables)) {
		void *at = nullptr;
		size_t nbytes = 0;
		if (het_program_global(program_, device_, name, &at, &nbytes))
			return false;
		const auto begin = reinterpret_cast<uintptr_t>(at);
		table_.push_back({begin, begin + nbytes});
	}
	return true;
}

// A look into the texts comes first: het takes a variable that is not there for a fault.
void image::find_told_variable()
{
	const char *name = told_variable();
	void *at = nullptr;
	size_t nbytes = 0;
	for (const ptx_object &o : std::span(data->objects, data->nobjects)) {
		if (!strstr(o.text, name))
			continue;
		if (het_program_global(program_, device_, name, &at, &nbytes))
			nbytes = 0;
		break;
	}
	const auto begin = reinterpret_cast<uintptr_t>(at);
	table_.push_back({begin, begin + nbytes});
}

} // namespace het_omp
