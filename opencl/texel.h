// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <CL/cl.h>
#include <vector>

namespace hetcl
{

// Returns the bytes of a texel of a colour, as clEnqueueFillImage() takes it: four floats, or four whole numbers where
// the format is of these. The format must be one that the runtime has.
std::vector<char> texel_of(const cl_image_format &f, const void *color);

} // namespace hetcl
