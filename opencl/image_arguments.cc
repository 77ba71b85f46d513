// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "image_arguments.h"

#include "image_places.h"
#include "sampler.h"

#include <algorithm>
#include <map>

namespace hetcl
{

namespace
{

// Where the driver does not tell what a kernel does with an image, its flags say what it may.
uint32_t access_to_image(const _cl_mem &m, const het_argument_info &declared)
{
	if (declared.space == HET_SPACE_IMAGE && declared.access)
		return declared.access;
	return m.flags & CL_MEM_READ_ONLY    ? HET_READ_ONLY
	       : m.flags & CL_MEM_WRITE_ONLY ? HET_WRITE_ONLY
					     : HET_READ_WRITE;
}

size_t bytes_to_bring(const _cl_kernel &k, het_device *d)
{
	size_t n = 0;
	for (const kernel_argument &a : k.arguments)
		n += a.is == kernel_argument::picture && !is_current_on(*a.buffer, d) ? a.buffer->size : 0;
	return n;
}

cl_int code_of_texture(int err)
{
	return err == HET_EARG     ? CL_IMAGE_FORMAT_NOT_SUPPORTED
	       : err == HET_ENODEV ? CL_INVALID_OPERATION
				   : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

// So many launches with images each device has had.
std::map<het_device *, uint64_t> &launches()
{
	static auto *all = new std::map<het_device *, uint64_t>;
	return *all;
}

} // namespace

bool has_images(const _cl_kernel &k)
{
	return std::any_of(k.arguments.begin(), k.arguments.end(), [](const kernel_argument &a) {
		return a.is == kernel_argument::picture || a.is == kernel_argument::sampler;
	});
}

het_device *member_with_images(const _cl_device_id &d, const _cl_kernel &k)
{
	const auto order = order_images();
	het_device *best = d.members[0];
	auto cost = [&](het_device *m) { return std::pair(bytes_to_bring(k, m), launches()[m]); };
	for (het_device *m : d.members)
		best = cost(m) < cost(best) ? m : best;
	return best;
}

cl_int make_textures(const _cl_kernel &k, het_device *d)
{
	for (const kernel_argument &a : k.arguments) {
		if (a.is != kernel_argument::picture)
			continue;
		if (int err = make_texture(*a.buffer, d))
			return code_of_texture(err);
	}
	return CL_SUCCESS;
}

cl_int put_images(command &c, const _cl_kernel &k, het_device *d, std::span<het_arg> args)
{
	for (size_t i = 0; i < args.size(); i++) {
		const kernel_argument &a = k.arguments[i];
		het_texture *texture = nullptr;
		het_sampler *sampler = nullptr;
		int err = 0;
		if (a.is == kernel_argument::picture) {
			err = bring_to(c, *a.buffer, d, &texture);
			args[i] = {};
			args[i].kind = HET_ARG_TEXTURE;
			args[i].access = access_to_image(*a.buffer, k.parameters[i].info);
			args[i].pointer = texture;
		} else if (a.is == kernel_argument::sampler) {
			err = a.sampled->on(d, &sampler);
			args[i] = {};
			args[i].kind = HET_ARG_SAMPLER;
			args[i].pointer = sampler;
		}
		if (err)
			return code_of_texture(err);
	}
	return CL_SUCCESS;
}

int note_images(const command &c, const _cl_kernel &k, het_device *d)
{
	int failure = 0;
	launches()[d]++;
	for (size_t i = 0; i < k.arguments.size(); i++) {
		const kernel_argument &a = k.arguments[i];
		if (a.is != kernel_argument::picture)
			continue;
		note_used_on(*a.buffer, d, c.made());
		const bool is_written = access_to_image(*a.buffer, k.parameters[i].info) & HET_WRITE_ONLY;
		const int err = is_written ? note_written_on(*a.buffer, d, c.queue()) : 0;
		failure = failure ? failure : err;
	}
	return failure;
}

} // namespace hetcl
