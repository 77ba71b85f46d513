// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_spans.h"

#include <cstdint>

namespace het
{

namespace
{

// The largest element that OpenCL knows has four channels of 32 bits.
constexpr size_t largest_element = 16;

// Computes a sum of products, which is empty once it would not fit.
class byte_count
{
      public:
	byte_count &add(size_t n, size_t stride)
	{
		size_t product;
		overflow_ |= __builtin_mul_overflow(n, stride, &product);
		overflow_ |= __builtin_add_overflow(total_, product, &total_);
		return *this;
	}
	size_t total() const { return overflow_ || total_ > PTRDIFF_MAX ? 0 : total_; }

      private:
	size_t total_ = 0;
	bool overflow_ = false;
};

// Goes from the first byte of the first row to the last byte of the last one.
size_t box_span(size_t row_bytes, size_t rows, size_t row_pitch, size_t planes, size_t slice_pitch)
{
	if (!row_bytes || !rows || !planes)
		return 0;
	return byte_count().add(1, row_bytes).add(rows - 1, row_pitch).add(planes - 1, slice_pitch).total();
}

// Returns no less than the true number: the x in CL_Rx and its kin may or may not take space.
size_t channels(cl_channel_order order)
{
	switch (order) {
	case CL_R:
	case CL_A:
	case CL_INTENSITY:
	case CL_LUMINANCE:
	case CL_DEPTH:
		return 1;
	case CL_Rx:
	case CL_RG:
	case CL_RA:
		return 2;
	case CL_RGx:
	case CL_RGB:
	case CL_sRGB:
		return 3;
	default:
		return 4;
	}
}

size_t element_size(const cl_image_format &format)
{
	size_t n = channels(format.image_channel_order);
	switch (format.image_channel_data_type) {
	case CL_SNORM_INT8:
	case CL_UNORM_INT8:
	case CL_SIGNED_INT8:
	case CL_UNSIGNED_INT8:
		return n;
	case CL_UNORM_SHORT_565:
	case CL_UNORM_SHORT_555:
		return 2;
	case CL_SNORM_INT16:
	case CL_UNORM_INT16:
	case CL_SIGNED_INT16:
	case CL_UNSIGNED_INT16:
	case CL_HALF_FLOAT:
		return 2 * n;
	case CL_UNORM_INT_101010:
	case CL_UNORM_INT_101010_2:
		return 4;
	case CL_SIGNED_INT32:
	case CL_UNSIGNED_INT32:
	case CL_FLOAT:
		return 4 * n;
	default:
		return largest_element;
	}
}

} // namespace

host_span rect_span(const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch)
{
	if (!origin || !region)
		return {};
	size_t row = row_pitch ? row_pitch : region[0];
	size_t plane = slice_pitch ? slice_pitch : byte_count().add(region[1], row).total();
	size_t size = box_span(region[0], region[1], row, region[2], plane);
	size_t offset = byte_count().add(origin[2], plane).add(origin[1], row).add(origin[0], 1).total();
	return {offset, size};
}

size_t image_span(cl_mem_object_type type, const size_t *region, size_t row_pitch, size_t slice_pitch,
		  size_t element_size)
{
	if (!region)
		return 0;
	size_t row_bytes = byte_count().add(region[0], element_size).total();
	size_t row = row_pitch ? row_pitch : row_bytes;
	// The rows of this type are the images of the array.
	if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice_pitch)
		row = slice_pitch;
	size_t plane = slice_pitch ? slice_pitch : byte_count().add(region[1], row).total();
	return box_span(row_bytes, region[1], row, region[2], plane);
}

size_t new_image_span(const cl_image_format *format, const cl_image_desc *desc)
{
	if (!format || !desc)
		return 0;
	size_t region[3] = {desc->image_width, 1, 1};
	switch (desc->image_type) {
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		region[1] = desc->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE2D:
		region[1] = desc->image_height;
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		region[1] = desc->image_height;
		region[2] = desc->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		region[1] = desc->image_height;
		region[2] = desc->image_depth;
		break;
	default:
		break;
	}
	return image_span(desc->image_type, region, desc->image_row_pitch, desc->image_slice_pitch,
			  element_size(*format));
}

} // namespace het
