// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_textures.h"

#include "dev/opencl_errors.h"
#include "os/log.h"

namespace het::rt
{

namespace
{

// The types have the order of HET_TEXEL_...
constexpr cl_channel_type channel_types[] = {
	CL_UNORM_INT8,   CL_UNORM_INT16,   CL_SNORM_INT8,     CL_SNORM_INT16,    CL_SIGNED_INT8, CL_SIGNED_INT16,
	CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,  CL_FLOAT,
};

cl_channel_order order_of(uint32_t channels)
{
	return channels == 1 ? CL_R : channels == 2 ? CL_RG : CL_RGBA;
}

// The modes have the order of HET_OUTSIDE_...
constexpr cl_addressing_mode addressing_modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
						   CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};

} // namespace

int opencl_textures::result(const char *what, cl_int err) const
{
	if (err == CL_SUCCESS)
		return 0;
	bool refused = err == CL_IMAGE_FORMAT_NOT_SUPPORTED || err == CL_INVALID_IMAGE_SIZE || err == CL_INVALID_VALUE;
	return fail(refused ? HET_EARG : HET_EDEVICE, "%s: %s failed: %s (%d)", device_, what, cl_error_name(err), err);
}

int opencl_textures::make_texture(const het_texture_args &args, void **made)
{
	const cl_image_format format = {order_of(args.channels), channel_types[args.type - 1]};
	cl_image_desc shape = {};
	shape.image_type = args.dimensions == 1   ? CL_MEM_OBJECT_IMAGE1D
			   : args.dimensions == 2 ? CL_MEM_OBJECT_IMAGE2D
						  : CL_MEM_OBJECT_IMAGE3D;
	shape.image_width = args.extent[0];
	shape.image_height = args.dimensions > 1 ? args.extent[1] : 0;
	shape.image_depth = args.dimensions > 2 ? args.extent[2] : 0;
	cl_int err = CL_SUCCESS;
	*made = cl_.create_image(context_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &err);
	return result("making a texture", err);
}

int opencl_textures::make_sampler(const het_sampler_args &args, void **made)
{
	cl_int err = CL_SUCCESS;
	*made = cl_.create_sampler(context_, args.normalized ? CL_TRUE : CL_FALSE, addressing_modes[args.outside],
				   args.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &err);
	return result("making a sampler", err);
}

int opencl_textures::read_texture(void *from, const texture_box &box, void *to)
{
	return result("reading a texture",
		      cl_.enqueue_read_image(queue_, static_cast<cl_mem>(from), CL_TRUE, box.origin, box.region, 0, 0,
					     to, 0, nullptr, nullptr));
}

int opencl_textures::write_texture(void *to, const texture_box &box, const void *from)
{
	return result("writing a texture", cl_.enqueue_write_image(queue_, static_cast<cl_mem>(to), CL_TRUE, box.origin,
								   box.region, 0, 0, from, 0, nullptr, nullptr));
}

int opencl_textures::copy_texture(void *to, const size_t (&to_origin)[3], void *source, const texture_box &from)
{
	cl_event event;
	cl_int err = cl_.enqueue_copy_image(queue_, static_cast<cl_mem>(source), static_cast<cl_mem>(to), from.origin,
					    to_origin, from.region, 0, nullptr, &event);
	if (err == CL_SUCCESS) {
		err = cl_.wait_for_events(1, &event);
		cl_.release_event(event);
	}
	return result("copying a texture", err);
}

} // namespace het::rt
