// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The formats of images, as the runtime has them, and as the devices of a context do.
#pragma once

#include "context.h"

#include <het.h>
#include <vector>

namespace hetcl
{

// Returns whether a format makes sense, whoever has it.
bool is_possible(const cl_image_format *f);

// Returns the bytes of a texel, or 0 if the runtime has no such format.
size_t texel_bytes(const cl_image_format &f);

bool have_images(const std::vector<cl_device_id> &devices);

// Returns the formats that all devices of the context which have images have for those of a shape.
std::vector<cl_image_format> common_formats(const _cl_context &c, cl_mem_object_type shape, bool is_read_and_written);

// Returns what the runtime makes textures of; the format must be known.
het_texture_args texture_like(const cl_image_desc &shape, const cl_image_format &f);

} // namespace hetcl
