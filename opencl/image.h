// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The texels of an image lie in a memory object, as the bytes of a buffer do, and travel between devices through it.
// Kernels see them in a texture, of which each device has its own. What is where is known for each image: these are the
// states after all commands that were enqueued so far.
#pragma once

#include "handle.h"

#include <algorithm>
#include <het.h>
#include <vector>

namespace hetcl
{

class command;

// Looks at an image that a command uses, and at whether its device can have it. Returns a code of OpenCL's.
cl_int check_image(const command &c, cl_mem m, cl_int if_invalid);

// A place for all texels: the memory object, or the texture of a device.
struct image_place {
	het_device *device = nullptr; // null for the memory object
	owner<het_texture, het_texture_release> texture;
	bool is_current = false;
	// This is the copy that makes it current, as long as it is not known to have ended well.
	owner<het_event, het_event_release> filled;
	// A texture of an image of a buffer is current if this many commands were to write the buffer's bytes before it
	// was made so, and no more since.
	uint64_t writes = 0;
	// These launches use a texture of bytes that the program may write without a command.
	std::vector<owner<het_event, het_event_release>> users;
};

struct image {
	cl_image_format format = {};
	cl_image_desc shape = {}; // with all sizes and pitches, as they are told
	size_t texel = 0;         // in bytes
	// These are texels, rows and planes; of an array, the layer is the dimension behind its own.
	size_t extent[3] = {1, 1, 1};
	// These are the bytes from one row to the next, and from one plane to the next, in the memory object.
	size_t row = 0, slice = 0;

	// Nobody has written a texel yet, so there is nothing to bring anywhere.
	bool is_blank = false;
	image_place home;
	std::vector<image_place> textures;

	bool has_planes() const
	{
		return shape.image_type == CL_MEM_OBJECT_IMAGE3D || shape.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	}
	bool is_line_array() const { return shape.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }

	// Returns where a texel begins in the memory object.
	size_t offset_of(const size_t *origin) const { return origin[2] * slice + origin[1] * row + origin[0] * texel; }
	// Returns the number of bytes from the first texel of a box to behind its last.
	size_t length_of(const size_t *region) const
	{
		return (region[2] - 1) * slice + (region[1] - 1) * row + region[0] * texel;
	}
	// Returns whether a box has texels, and none outside.
	bool has(const size_t *origin, const size_t *region) const
	{
		for (unsigned d = 0; origin && region && d < 3; d++) {
			if (!region[d] || origin[d] > extent[d] || region[d] > extent[d] - origin[d])
				return false;
		}
		return origin && region;
	}
	bool is_all(const size_t *region) const { return std::equal(extent, extent + 3, region); }
};

} // namespace hetcl
