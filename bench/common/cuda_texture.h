// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Textures of words over memory of a CUDA device. The numbers and layouts are those of NVIDIA's driver.
#pragma once

#include "dev/cuda_abi.h"

#include <cstddef>
#include <cstdint>

namespace bench
{

enum cu_texture_number : int {
	cu_resource_linear = 2,
	cu_format_unsigned_32 = 3,
	cu_texture_read_as_integer = 1,
	cu_attribute_largest_linear_texture = 69, // in texels
};

struct cu_linear_resource {
	int type; // cu_resource_linear
	union {
		struct {
			het::cu_deviceptr at;
			int format;
			unsigned channels;
			size_t bytes;
		} linear;
		int reserved[32];
	};
	unsigned flags;
};

struct cu_texture_description {
	int address_mode[3];
	int filter_mode; // 0: the nearest texel
	unsigned flags;
	unsigned most_anisotropy;
	int mipmap_filter_mode;
	float mipmap_bias, least_mipmap, most_mipmap;
	float border[4];
	int reserved[12];
};

// Returns whether the driver makes textures.
bool cuda_has_textures();

// A kernel takes a texture as the number that this returns.
uint64_t make_cuda_texture(het::cu_deviceptr at, size_t nbytes);
void destroy_cuda_texture(uint64_t texture);

} // namespace bench
