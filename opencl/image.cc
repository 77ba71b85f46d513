// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Images are made here, and told of.
#include "image.h"

#include "calls.h"
#include "codes.h"
#include "command.h"
#include "frees.h"
#include "image_formats.h"
#include "info.h"
#include "joint_limits.h"
#include "memory.h"

#include <algorithm>
#include <cstring>

namespace hetcl
{

namespace
{

using memory = _cl_mem;

unsigned dimensions_of(cl_mem_object_type shape)
{
	switch (shape) {
	case CL_MEM_OBJECT_IMAGE1D:
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		return 1;
	case CL_MEM_OBJECT_IMAGE2D:
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		return 2;
	case CL_MEM_OBJECT_IMAGE3D:
		return 3;
	default:
		return 0;
	}
}

bool is_array(cl_mem_object_type shape)
{
	return shape == CL_MEM_OBJECT_IMAGE1D_ARRAY || shape == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

// What a shape does not have is nothing, whatever the program has said.
cl_int take_shape(const cl_image_desc &given, image &i)
{
	const unsigned dimensions = dimensions_of(given.image_type);
	const bool is_of_buffer = given.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
	if (!dimensions || given.num_mip_levels || given.num_samples || is_of_buffer != (given.mem_object != nullptr))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	i.shape = given;
	i.shape.image_height = dimensions > 1 ? given.image_height : 0;
	i.shape.image_depth = dimensions > 2 ? given.image_depth : 0;
	i.shape.image_array_size = is_array(given.image_type) ? given.image_array_size : 0;
	const size_t sizes[] = {given.image_width, given.image_height, given.image_depth};
	std::copy_n(sizes, dimensions, i.extent);
	if (is_array(given.image_type))
		i.extent[dimensions] = given.image_array_size;
	const bool has_texels = i.extent[0] && i.extent[1] && i.extent[2];
	return has_texels ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
}

bool fits(const image &i, const _cl_device_id &d)
{
	const bool is_volume = i.shape.image_type == CL_MEM_OBJECT_IMAGE3D;
	const bool is_of_buffer = i.shape.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
	const cl_ulong width = limit(d, is_volume      ? CL_DEVICE_IMAGE3D_MAX_WIDTH
					: is_of_buffer ? CL_DEVICE_IMAGE_MAX_BUFFER_SIZE
						       : CL_DEVICE_IMAGE2D_MAX_WIDTH);
	const cl_ulong height = limit(d, is_volume ? CL_DEVICE_IMAGE3D_MAX_HEIGHT : CL_DEVICE_IMAGE2D_MAX_HEIGHT);
	return i.shape.image_width <= width && i.shape.image_height <= height &&
	       i.shape.image_depth <= limit(d, CL_DEVICE_IMAGE3D_MAX_DEPTH) &&
	       i.shape.image_array_size <= limit(d, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
}

// Works out what lies how far from what. The sizes are those of a device's, but pitches are the program's: an image
// with such can be larger than memory can be.
cl_int take_pitches(image &i, bool has_host_pointer)
{
	const size_t least_row = i.extent[0] * i.texel;
	size_t &row = i.shape.image_row_pitch, &slice = i.shape.image_slice_pitch;
	if ((row || slice) && !has_host_pointer)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (row && (row < least_row || row % i.texel))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	row = row ? row : least_row;
	size_t of_rows = 0, all = 0;
	if (__builtin_mul_overflow(row, i.extent[1], &of_rows))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	const size_t least_slice = i.is_line_array() ? row : i.has_planes() ? of_rows : 0;
	if (slice && least_slice && (slice < least_slice || slice % row))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	slice = !least_slice ? 0 : slice ? slice : least_slice;
	i.row = i.is_line_array() ? slice : row;
	const bool fits = !__builtin_mul_overflow(i.row, i.extent[1], &of_rows);
	i.slice = i.has_planes() ? slice : of_rows;
	return fits && !__builtin_mul_overflow(i.slice, i.extent[2], &all) ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
}

bool is_common(const _cl_context &c, cl_mem_object_type shape, const cl_image_format &f)
{
	const auto all = common_formats(c, shape, false);
	return std::any_of(all.begin(), all.end(), [&](const cl_image_format &a) {
		return a.image_channel_order == f.image_channel_order &&
		       a.image_channel_data_type == f.image_channel_data_type;
	});
}

cl_int check_new(cl_context c, cl_mem_flags flags, const cl_image_format *f, const cl_image_desc *shape,
		 const void *host, image &i)
{
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	const auto &devices = c->devices;
	if (std::none_of(devices.begin(), devices.end(), [](cl_device_id d) { return have_images({d}); }))
		return CL_INVALID_OPERATION;
	if (!are_possible_flags(flags))
		return CL_INVALID_VALUE;
	if (!is_possible(f))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (cl_int err = shape ? take_shape(*shape, i) : CL_INVALID_IMAGE_DESCRIPTOR)
		return err;
	// One device that can have it is enough.
	if (std::none_of(devices.begin(), devices.end(), [&](cl_device_id d) { return fits(i, *d); }))
		return CL_INVALID_IMAGE_SIZE;
	const bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	if (wants_host != (host != nullptr))
		return CL_INVALID_HOST_PTR;
	if (!is_common(*c, i.shape.image_type, *f))
		return CL_IMAGE_FORMAT_NOT_SUPPORTED;
	i.format = *f;
	i.texel = texel_bytes(*f);
	return take_pitches(i, host != nullptr);
}

cl_mem finish(cl_context c, cl_mem_flags flags, std::unique_ptr<image> i, het_memory *bytes, cl_int *error)
{
	auto *m = new memory;
	m->context = held(c);
	m->flags = flags;
	m->size = i->length_of(i->extent);
	i->home.is_current = true;
	m->image = std::move(i);
	m->memory.reset(bytes);
	return give(m, CL_SUCCESS, error);
}

// The bytes are those of the buffer.
cl_mem make_of_buffer(cl_context c, cl_mem_flags flags, std::unique_ptr<image> i, cl_int *error)
{
	const cl_mem buffer = i->shape.mem_object;
	if (!is_valid(buffer) || buffer->image || buffer->context.get() != c || !buffer->has(0, i->row))
		return refuse(CL_INVALID_IMAGE_DESCRIPTOR, error);
	if (!part_may_have(buffer->flags, flags))
		return refuse(CL_INVALID_VALUE, error);
	het_memory *made = nullptr;
	if (int err = het_memory_part(buffer->memory.get(), 0, i->row, &made))
		return refuse(code_of(err), error);
	cl_mem m = finish(c, flags_of_part(buffer->flags, flags), std::move(i), made, error);
	m->whole = held(buffer);
	m->host_pointer = buffer->host_pointer;
	return m;
}

// The program's rows may have gaps, and ours have none.
void copy_texels(image &i, const char *from, char *to)
{
	const size_t row = i.row, slice = i.slice, n = i.extent[0] * i.texel;
	i.shape.image_row_pitch = i.row = n;
	i.slice = n * i.extent[1];
	i.shape.image_slice_pitch = i.has_planes() ? i.slice : i.is_line_array() ? i.row : 0;
	for (size_t z = 0; z < i.extent[2]; z++) {
		for (size_t y = 0; y < i.extent[1]; y++) {
			memcpy(to, from + z * slice + y * row, n);
			to += n;
		}
	}
}

cl_mem make_image(cl_context c, cl_mem_flags flags, std::unique_ptr<image> i, void *host, cl_int *error)
{
	if (i->shape.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return make_of_buffer(c, flags, std::move(i), error);
	const bool wraps = flags & CL_MEM_USE_HOST_PTR;
	if (wraps)
		watch_frees();
	const size_t n = wraps ? i->length_of(i->extent) : i->texel * i->extent[0] * i->extent[1] * i->extent[2];
	het_memory *made = nullptr;
	if (int err = wraps ? het_memory_wrap(host, n, &made) : het_memory_create(n, &made))
		return refuse(err == HET_ENOMEM ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code_of(err), error);
	if (flags & CL_MEM_COPY_HOST_PTR)
		copy_texels(*i, static_cast<const char *>(host), static_cast<char *>(het_memory_pointer(made)));
	i->is_blank = !host;
	cl_mem m = finish(c, with_access(flags), std::move(i), made, error);
	m->host_pointer = wraps ? host : nullptr;
	return m;
}

cl_mem create(cl_context c, cl_mem_flags flags, const cl_image_format *f, const cl_image_desc *shape, void *host,
	      cl_int *error)
{
	auto i = std::make_unique<image>();
	if (cl_int err = check_new(c, flags, f, shape, host, *i))
		return refuse(err, error);
	return make_image(c, flags, std::move(i), host, error);
}

const info_row<memory> rows[] = {
	{CL_IMAGE_FORMAT, [](const memory &m, answer &a) { return a.value(m.image->format); }},
	{CL_IMAGE_ELEMENT_SIZE, [](const memory &m, answer &a) { return a.value(m.image->texel); }},
	{CL_IMAGE_ROW_PITCH, [](const memory &m, answer &a) { return a.value(m.image->shape.image_row_pitch); }},
	{CL_IMAGE_SLICE_PITCH, [](const memory &m, answer &a) { return a.value(m.image->shape.image_slice_pitch); }},
	{CL_IMAGE_WIDTH, [](const memory &m, answer &a) { return a.value(m.image->shape.image_width); }},
	{CL_IMAGE_HEIGHT, [](const memory &m, answer &a) { return a.value(m.image->shape.image_height); }},
	{CL_IMAGE_DEPTH, [](const memory &m, answer &a) { return a.value(m.image->shape.image_depth); }},
	{CL_IMAGE_ARRAY_SIZE, [](const memory &m, answer &a) { return a.value(m.image->shape.image_array_size); }},
	{CL_IMAGE_BUFFER, [](const memory &m, answer &a) { return a.value(m.whole.get()); }},
	{CL_IMAGE_NUM_MIP_LEVELS, [](const memory &, answer &a) { return a.value(cl_uint{0}); }},
	{CL_IMAGE_NUM_SAMPLES, [](const memory &, answer &a) { return a.value(cl_uint{0}); }},
};

// Calls of OpenCL 1.1 have a code of their own for sizes.
cl_mem create_by_sizes(cl_context c, cl_mem_flags flags, const cl_image_format *f, const cl_image_desc &shape,
		       void *host, cl_int *error)
{
	cl_int err = CL_SUCCESS;
	cl_mem m = create(c, flags, f, &shape, host, &err);
	return give(m, err == CL_INVALID_IMAGE_DESCRIPTOR ? cl_int{CL_INVALID_IMAGE_SIZE} : err, error);
}

} // namespace

cl_int check_image(const command &c, cl_mem m, cl_int if_invalid)
{
	if (cl_int err = c.check(image_or_none(m), if_invalid))
		return err;
	if (!have_images({c.device()}))
		return CL_INVALID_OPERATION;
	return fits(*m->image, *c.device()) ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

cl_mem clCreateImage(cl_context c, cl_mem_flags flags, const cl_image_format *f, const cl_image_desc *shape, void *host,
		     cl_int *error)
{
	return create(c, flags, f, shape, host, error);
}

cl_mem clCreateImageWithProperties(cl_context c, const cl_mem_properties *properties, cl_mem_flags flags,
				   const cl_image_format *f, const cl_image_desc *shape, void *host, cl_int *error)
{
	if (!is_valid(c))
		return refuse(CL_INVALID_CONTEXT, error);
	if (properties && *properties)
		return refuse(CL_INVALID_PROPERTY, error); // there are none
	cl_mem m = create(c, flags, f, shape, host, error);
	if (m && properties)
		m->properties.resize(1);
	return m;
}

cl_mem clCreateImage2D(cl_context c, cl_mem_flags flags, const cl_image_format *f, size_t width, size_t height,
		       size_t row, void *host, cl_int *error)
{
	cl_image_desc shape = {};
	shape.image_type = CL_MEM_OBJECT_IMAGE2D;
	shape.image_width = width;
	shape.image_height = height;
	shape.image_row_pitch = row;
	return create_by_sizes(c, flags, f, shape, host, error);
}

cl_mem clCreateImage3D(cl_context c, cl_mem_flags flags, const cl_image_format *f, size_t width, size_t height,
		       size_t depth, size_t row, size_t slice, void *host, cl_int *error)
{
	cl_image_desc shape = {};
	shape.image_type = CL_MEM_OBJECT_IMAGE3D;
	shape.image_width = width;
	shape.image_height = height;
	shape.image_depth = depth;
	shape.image_row_pitch = row;
	shape.image_slice_pitch = slice;
	return create_by_sizes(c, flags, f, shape, host, error);
}

cl_int clGetImageInfo(cl_mem m, cl_image_info what, size_t room, void *value, size_t *size)
{
	const bool is_image = is_valid(m) && m->image;
	return is_image ? look_up(rows, what, *m, {room, value, size}) : CL_INVALID_MEM_OBJECT;
}

} // namespace hetcl
