// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes how much host memory the OpenCL calls for rectangles and images reach. This is pure.
//
// A pitch of 0 means what OpenCL means by it: no padding. Null and overflowing arguments give an empty span: the driver
// refuses them.
#pragma once

#include "dev/opencl_api.h"

#include <cstddef>

namespace het
{

// The bytes are relative to the host pointer of the call.
struct host_span {
	size_t offset = 0;
	size_t size = 0;
};

// Serves clEnqueueReadBufferRect() and clEnqueueWriteBufferRect(): @origin is that of the host side.
host_span rect_span(const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch);

// Serves clEnqueueReadImage() and clEnqueueWriteImage(), and returns bytes from the host pointer on.
size_t image_span(cl_mem_object_type type, const size_t *region, size_t row_pitch, size_t slice_pitch,
		  size_t element_size);

// Serves the creation of an image for which a host pointer is given, and returns bytes from that pointer on.
size_t new_image_span(const cl_image_format *format, const cl_image_desc *desc);

} // namespace het
