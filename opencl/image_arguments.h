// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches with images and samplers run on one device, which has these as its own.
#pragma once

#include "command.h"
#include "kernel.h"

#include <span>

namespace hetcl
{

bool has_images(const _cl_kernel &k);

// Returns the member that the launch is for: that with the most texels, and of several the one with the fewest
// launches.
het_device *member_with_images(const _cl_device_id &d, const _cl_kernel &k);

// Makes the textures that the launch will need there. It may wait for memory, and so for other commands and the
// program's callbacks. Returns a code of OpenCL's.
cl_int make_textures(const _cl_kernel &k, het_device *d);

// What follows is called while the images are in order (image_places.h).

// Brings the texels there, and puts textures and samplers into the arguments. Returns a code of OpenCL's.
cl_int put_images(command &c, const _cl_kernel &k, het_device *d, std::span<het_arg> args);

// The launch was enqueued. Returns a code of the runtime's.
int note_images(const command &c, const _cl_kernel &k, het_device *d);

} // namespace hetcl
