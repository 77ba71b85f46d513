// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "image_formats.h"

#include "calls.h"
#include "joint_limits.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace hetcl
{

namespace
{

struct order_row {
	cl_channel_order code;
	uint32_t order;
	size_t channels;
};
constexpr order_row orders[] = {
	{CL_R, HET_ORDER_R, 1},
	{CL_A, HET_ORDER_A, 1},
	{CL_RG, HET_ORDER_RG, 2},
	{CL_RA, HET_ORDER_RA, 2},
	{CL_RGBA, HET_ORDER_RGBA, 4},
	{CL_BGRA, HET_ORDER_BGRA, 4},
	{CL_ARGB, HET_ORDER_ARGB, 4},
	{CL_INTENSITY, HET_ORDER_INTENSITY, 1},
	{CL_LUMINANCE, HET_ORDER_LUMINANCE, 1},
};

struct type_row {
	cl_channel_type code;
	uint32_t type;
	size_t nbytes;
};
constexpr type_row types[] = {
	{CL_SNORM_INT8, HET_TEXEL_SNORM8, 1},     {CL_SNORM_INT16, HET_TEXEL_SNORM16, 2},
	{CL_UNORM_INT8, HET_TEXEL_UNORM8, 1},     {CL_UNORM_INT16, HET_TEXEL_UNORM16, 2},
	{CL_SIGNED_INT8, HET_TEXEL_INT8, 1},      {CL_SIGNED_INT16, HET_TEXEL_INT16, 2},
	{CL_SIGNED_INT32, HET_TEXEL_INT32, 4},    {CL_UNSIGNED_INT8, HET_TEXEL_UINT8, 1},
	{CL_UNSIGNED_INT16, HET_TEXEL_UINT16, 2}, {CL_UNSIGNED_INT32, HET_TEXEL_UINT32, 4},
	{CL_HALF_FLOAT, HET_TEXEL_HALF, 2},       {CL_FLOAT, HET_TEXEL_FLOAT, 4},
};

template <class T, size_t n, class C> const T *find(const T (&rows)[n], C code)
{
	const T *at = std::find_if(std::begin(rows), std::end(rows), [&](const T &r) { return r.code == code; });
	return at == std::end(rows) ? nullptr : at;
}

bool is_one_of(cl_uint code, std::initializer_list<cl_uint> all)
{
	return std::find(all.begin(), all.end(), code) != all.end();
}

struct shape_row {
	cl_mem_object_type shape;
	uint32_t dimensions, flags;
	size_t layers;
};
constexpr shape_row shapes[] = {
	{CL_MEM_OBJECT_IMAGE1D, 1, 0, 0},       {CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, HET_TEXTURE_OF_BUFFER, 0},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 0, 1}, {CL_MEM_OBJECT_IMAGE2D, 2, 0, 0},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, 0, 1}, {CL_MEM_OBJECT_IMAGE3D, 3, 0, 0},
};

const shape_row *find_shape(cl_mem_object_type shape)
{
	const auto *at = std::find_if(std::begin(shapes), std::end(shapes),
				      [&](const shape_row &s) { return s.shape == shape; });
	return at == std::end(shapes) ? nullptr : at;
}

template <class T, size_t n> const T &row_of(const T (&rows)[n], uint32_t T::*member, uint32_t value)
{
	return *std::find_if(std::begin(rows), std::end(rows), [&](const T &r) { return r.*member == value; });
}

// Some drivers name pairs that OpenCL rules out, like 16-bit channels in the order of BGRA. Images can't have these
// here.
std::vector<cl_image_format> ask(const het_texture_args &like)
{
	uint32_t n = 0;
	if (het_texture_formats(&like, 0, nullptr, &n))
		return {};
	std::vector<het_texture_format> theirs(n);
	if (het_texture_formats(&like, n, theirs.data(), &n))
		return {};
	std::vector<cl_image_format> all;
	for (const het_texture_format &f : theirs) {
		const cl_image_format ours = {row_of(orders, &order_row::order, f.order).code,
					      row_of(types, &type_row::type, f.type).code};
		if (is_possible(&ours))
			all.push_back(ours);
	}
	return all;
}

// Drivers are asked once.
const std::vector<cl_image_format> &formats_of(het_device *d, const shape_row &shape, bool is_read_and_written)
{
	static std::mutex lock;
	static auto *known =
		new std::map<std::tuple<het_device *, cl_mem_object_type, bool>, std::vector<cl_image_format>>;
	std::lock_guard g(lock);
	const auto [at, is_new] = known->try_emplace({d, shape.shape, is_read_and_written});
	if (!is_new)
		return at->second;
	het_texture_args like = {};
	like.size = sizeof(like);
	like.device = d;
	like.dimensions = shape.dimensions;
	like.layers = shape.layers;
	like.flags = shape.flags | (is_read_and_written ? HET_TEXTURE_READ_AND_WRITTEN : 0);
	at->second = ask(like);
	return at->second;
}

bool is_in(const std::vector<cl_image_format> &all, const cl_image_format &f)
{
	return std::any_of(all.begin(), all.end(), [&](const cl_image_format &a) {
		return a.image_channel_order == f.image_channel_order &&
		       a.image_channel_data_type == f.image_channel_data_type;
	});
}

} // namespace

bool is_possible(const cl_image_format *f)
{
	if (!f || f->image_channel_order < CL_R || f->image_channel_order > CL_ABGR ||
	    f->image_channel_data_type < CL_SNORM_INT8 || f->image_channel_data_type > CL_UNORM_INT_101010_2)
		return false;
	const cl_uint order = f->image_channel_order, type = f->image_channel_data_type;
	const bool is_packed =
		is_one_of(type, {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010, CL_UNORM_INT_101010_2});
	const bool is_byte = is_one_of(type, {CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8});
	const bool is_gray = is_one_of(
		type, {CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16, CL_HALF_FLOAT, CL_FLOAT});
	switch (order) {
	case CL_INTENSITY:
	case CL_LUMINANCE:
		return is_gray;
	case CL_RGB:
	case CL_RGBx:
		return is_packed;
	case CL_ARGB:
	case CL_BGRA:
	case CL_ABGR:
		return is_byte;
	case CL_DEPTH:
		return type == CL_UNORM_INT16 || type == CL_FLOAT;
	case CL_DEPTH_STENCIL:
		return type == CL_UNORM_INT24 || type == CL_FLOAT;
	case CL_sRGB:
	case CL_sRGBx:
	case CL_sRGBA:
	case CL_sBGRA:
		return type == CL_UNORM_INT8;
	default:
		return type == CL_UNORM_INT_101010_2 ? order == CL_RGBA : !is_packed;
	}
}

size_t texel_bytes(const cl_image_format &f)
{
	const order_row *order = find(orders, f.image_channel_order);
	const type_row *type = find(types, f.image_channel_data_type);
	return order && type ? order->channels * type->nbytes : 0;
}

bool have_images(const std::vector<cl_device_id> &devices)
{
	return std::all_of(devices.begin(), devices.end(),
			   [](cl_device_id d) { return limit(*d, CL_DEVICE_IMAGE_SUPPORT); });
}

std::vector<cl_image_format> common_formats(const _cl_context &c, cl_mem_object_type shape, bool is_read_and_written)
{
	std::vector<cl_image_format> common;
	bool is_first = true;
	for (cl_device_id d : c.devices) {
		for (het_device *m : have_images({d}) ? d->members : std::vector<het_device *>()) {
			const auto &theirs = formats_of(m, *find_shape(shape), is_read_and_written);
			if (is_first)
				common = theirs;
			std::erase_if(common, [&](const cl_image_format &f) { return !is_in(theirs, f); });
			is_first = false;
		}
	}
	return common;
}

het_texture_args texture_like(const cl_image_desc &shape, const cl_image_format &f)
{
	const shape_row &row = *find_shape(shape.image_type);
	het_texture_args a = {};
	a.size = sizeof(a);
	a.dimensions = row.dimensions;
	a.flags = row.flags;
	a.layers = row.layers ? shape.image_array_size : 0;
	a.order = find(orders, f.image_channel_order)->order;
	a.type = find(types, f.image_channel_data_type)->type;
	a.extent[0] = shape.image_width;
	a.extent[1] = row.dimensions > 1 ? shape.image_height : 1;
	a.extent[2] = row.dimensions > 2 ? shape.image_depth : 1;
	return a;
}

cl_int clGetSupportedImageFormats(cl_context c, cl_mem_flags flags, cl_mem_object_type shape, cl_uint room,
				  cl_image_format *formats, cl_uint *count)
{
	constexpr cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
	constexpr cl_mem_flags known = access | CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR |
				       CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS |
				       CL_MEM_KERNEL_READ_AND_WRITE;
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	const cl_mem_flags asked = flags & access;
	if (flags & ~known || asked & (asked - 1) || !find_shape(shape) || (formats && !room))
		return CL_INVALID_VALUE;
	const auto all = common_formats(*c, shape, flags & CL_MEM_KERNEL_READ_AND_WRITE);
	for (size_t i = 0; formats && i < std::min<size_t>(room, all.size()); i++)
		formats[i] = all[i];
	if (count)
		*count = cl_uint(all.size());
	return CL_SUCCESS;
}

} // namespace hetcl
