// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Smooths RGB pictures but keeps their edges (Perona and Malik, 1990), by kernels for devices, and by the host alone.
// Pixels are 8-bit RGB, as libpng has them; between the steps the picture stays in floats, so that the steps do not
// lose the fractions.
#pragma once

#include "common/device.h"

#include <vector>

namespace bench
{

struct picture_size {
	int width, height;
	size_t samples() const { return size_t(width) * size_t(height) * 3; }
};

// The three kernels are unpack(bytes, floats, n), diffuse(from, to, width, height, edge, rate) and pack(floats, bytes,
// n).
extern const kernel_text diffusion_kernels;
extern const kernel unpack_kernel, diffuse_kernel, pack_kernel;

// One step lets this share of the flow between neighbours through; it is stable up to 1/4.
inline constexpr float diffusion_rate = 0.2f;

// These start the kernels on a device. @bytes holds a picture, and the others hold floats.
void launch_unpack(device &d, picture_size size, void *bytes, void *floats);
// Starts one step. Differences well above @edge (in levels of 0 … 255) count as edges and stay.
void launch_step(device &d, picture_size size, void *from, void *to, float edge);
void launch_pack(device &d, picture_size size, void *floats, void *bytes);

// Does the same on the host alone. The result is not packed, so that the caller can tell rounding from error.
std::vector<float> diffuse_on_host(picture_size size, const unsigned char *bytes, unsigned steps, float edge);

} // namespace bench
