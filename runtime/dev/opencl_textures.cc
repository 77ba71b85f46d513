// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_textures.h"

#include "dev/opencl_errors.h"
#include "os/log.h"

#include <algorithm>
#include <iterator>

namespace het::rt
{

namespace
{

// The types have the order of HET_TEXEL_...
constexpr cl_channel_type channel_types[] = {
	CL_UNORM_INT8,   CL_UNORM_INT16,   CL_SNORM_INT8,     CL_SNORM_INT16,    CL_SIGNED_INT8, CL_SIGNED_INT16,
	CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,  CL_FLOAT,
};

// The orders have the order of HET_ORDER_...
constexpr cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA, CL_A, CL_RA, CL_BGRA, CL_ARGB, CL_INTENSITY, CL_LUMINANCE};

// Returns the number that libhet has for one of the driver's, or 0 if it has none.
template <class T, size_t n> uint32_t number_of(const T (&all)[n], T one)
{
	for (uint32_t i = 0; i < n; i++) {
		if (all[i] == one)
			return i + 1;
	}
	return 0;
}

cl_mem_object_type shape_of(const het_texture_args &args)
{
	if (args.flags & HET_TEXTURE_OF_BUFFER)
		return CL_MEM_OBJECT_IMAGE1D_BUFFER;
	if (args.dimensions == 1)
		return args.layers ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE1D;
	if (args.dimensions == 2)
		return args.layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D;
	return CL_MEM_OBJECT_IMAGE3D;
}

// The modes have the order of HET_OUTSIDE_...
constexpr cl_addressing_mode addressing_modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
						   CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};

} // namespace

int opencl_textures::result(const char *what, cl_int err) const
{
	if (err == CL_SUCCESS)
		return 0;
	bool refused = err == CL_IMAGE_FORMAT_NOT_SUPPORTED || err == CL_INVALID_IMAGE_SIZE ||
		       err == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR || err == CL_INVALID_IMAGE_DESCRIPTOR ||
		       err == CL_INVALID_VALUE;
	return fail(refused ? HET_EARG : HET_EDEVICE, "%s: %s failed: %s (%d)", device_, what, cl_error_name(err), err);
}

// An image of a buffer keeps it.
cl_mem opencl_textures::make_buffer_behind(const het_texture_args &args, cl_int *err) const
{
	return cl_.create_buffer(context_, CL_MEM_READ_WRITE, args.extent[0] * bytes_of_texel(args), nullptr, err);
}

int opencl_textures::make_texture(const het_texture_args &args, void **made)
{
	const cl_image_format format = {orders[args.order - 1], channel_types[args.type - 1]};
	cl_image_desc shape = {};
	shape.image_type = shape_of(args);
	shape.image_width = args.extent[0];
	shape.image_height = args.dimensions > 1 ? args.extent[1] : 0;
	shape.image_depth = args.dimensions > 2 ? args.extent[2] : 0;
	shape.image_array_size = args.layers;
	cl_int err = CL_SUCCESS;
	if (args.flags & HET_TEXTURE_OF_BUFFER)
		shape.mem_object = make_buffer_behind(args, &err);
	if (err == CL_SUCCESS)
		*made = cl_.create_image(context_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &err);
	if (shape.mem_object)
		cl_.release_mem_object(shape.mem_object);
	return result("making a texture", err);
}

int opencl_textures::list_formats(const het_texture_args &like, std::span<het_texture_format> formats, uint32_t *count)
{
	const bool both = like.flags & HET_TEXTURE_READ_AND_WRITTEN;
	const cl_mem_flags use = both ? CL_MEM_KERNEL_READ_AND_WRITE : CL_MEM_READ_WRITE;
	cl_image_format all[512];
	cl_uint n = 0;
	*count = 0;
	if (int err = result("asking for formats",
			     cl_.get_supported_image_formats(context_, use, shape_of(like), std::size(all), all, &n)))
		return err;
	for (const cl_image_format &f : std::span(all).first(std::min<size_t>(n, std::size(all)))) {
		const het_texture_format known = {number_of(orders, f.image_channel_order),
						  number_of(channel_types, f.image_channel_data_type)};
		if (!known.order || !known.type)
			continue;
		if (*count < formats.size())
			formats[*count] = known;
		++*count;
	}
	return 0;
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
