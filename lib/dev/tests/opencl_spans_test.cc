// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_spans.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace het;

namespace
{

cl_image_desc describe(cl_mem_object_type type, size_t width, size_t height, size_t depth, size_t array)
{
	cl_image_desc d = {};
	d.image_type = type;
	d.image_width = width;
	d.image_height = height;
	d.image_depth = depth;
	d.image_array_size = array;
	return d;
}

size_t one_pixel(cl_channel_order order, cl_channel_type type)
{
	cl_image_format format = {order, type};
	cl_image_desc desc = describe(CL_MEM_OBJECT_IMAGE2D, 1, 1, 0, 0);
	return new_image_span(&format, &desc);
}

} // namespace

TEST(opencl_spans, rectangle_without_padding)
{
	size_t origin[] = {0, 0, 0}, region[] = {8, 4, 2};
	host_span s = rect_span(origin, region, 0, 0);
	EXPECT_EQ(s.offset, 0u);
	EXPECT_EQ(s.size, 8u * 4 * 2);
}

TEST(opencl_spans, rectangle_with_pitches_and_origin)
{
	size_t origin[] = {3, 2, 1}, region[] = {8, 4, 2};
	host_span s = rect_span(origin, region, 100, 1000);
	EXPECT_EQ(s.offset, 1000u + 2 * 100 + 3);
	EXPECT_EQ(s.size, 1000u + 3 * 100 + 8);
}

TEST(opencl_spans, empty_and_broken_rectangles_have_none)
{
	size_t origin[] = {0, 0, 0}, empty[] = {8, 0, 2}, huge[] = {8, SIZE_MAX, 2}, region[] = {8, 1, 1};
	EXPECT_EQ(rect_span(origin, empty, 0, 0).size, 0u);
	EXPECT_EQ(rect_span(origin, huge, 0, 0).size, 0u);
	EXPECT_EQ(rect_span(nullptr, region, 0, 0).size, 0u);
	EXPECT_EQ(rect_span(origin, nullptr, 0, 0).size, 0u);
}

TEST(opencl_spans, image_transfers)
{
	size_t flat[] = {10, 5, 1}, deep[] = {10, 5, 3};
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE2D, flat, 0, 0, 4), 10u * 5 * 4);
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE2D, flat, 64, 0, 4), 4u * 64 + 40);
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE3D, deep, 64, 0, 4), 2u * 5 * 64 + 4 * 64 + 40);
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE3D, deep, 64, 1000, 4), 2u * 1000 + 4 * 64 + 40);
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE1D_ARRAY, flat, 0, 0, 4), 10u * 5 * 4);
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE1D_ARRAY, flat, 0, 256, 4), 4u * 256 + 40);
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE2D, flat, 0, 0, 0), 0u) << "the driver did not tell the element size";
	EXPECT_EQ(image_span(CL_MEM_OBJECT_IMAGE2D, nullptr, 0, 0, 4), 0u);
}

TEST(opencl_spans, new_images)
{
	cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};
	auto span = [&](cl_image_desc d) { return new_image_span(&rgba8, &d); };
	// Members that the image's type does not have may hold anything.
	EXPECT_EQ(span(describe(CL_MEM_OBJECT_IMAGE1D, 10, 99, 99, 99)), 40u);
	EXPECT_EQ(span(describe(CL_MEM_OBJECT_IMAGE1D_ARRAY, 10, 99, 99, 3)), 120u);
	EXPECT_EQ(span(describe(CL_MEM_OBJECT_IMAGE2D, 10, 5, 99, 99)), 200u);
	EXPECT_EQ(span(describe(CL_MEM_OBJECT_IMAGE2D_ARRAY, 10, 5, 99, 3)), 600u);
	EXPECT_EQ(span(describe(CL_MEM_OBJECT_IMAGE3D, 10, 5, 2, 99)), 400u);
	EXPECT_EQ(new_image_span(nullptr, nullptr), 0u);
}

TEST(opencl_spans, pixel_sizes)
{
	EXPECT_EQ(one_pixel(CL_R, CL_UNSIGNED_INT8), 1u);
	EXPECT_EQ(one_pixel(CL_RG, CL_HALF_FLOAT), 4u);
	EXPECT_EQ(one_pixel(CL_RGB, CL_UNORM_SHORT_565), 2u);
	EXPECT_EQ(one_pixel(CL_RGB, CL_UNORM_INT_101010), 4u);
	EXPECT_EQ(one_pixel(CL_BGRA, CL_UNORM_INT8), 4u);
	EXPECT_EQ(one_pixel(CL_RGBA, CL_FLOAT), 16u);
	EXPECT_EQ(one_pixel(CL_DEPTH, CL_FLOAT), 4u);
	EXPECT_EQ(one_pixel(CL_RGBA, 0xffff), 16u) << "unknown types count as the largest";
}
