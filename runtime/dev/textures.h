// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes, reads and writes textures and samplers of a device that has them. Any thread may make the calls; they return 0
// or a code, having said why.
#pragma once

#include <cstddef>
#include <het.h>
#include <span>

namespace het::rt
{

// Describes a box of texels; unused dimensions are 0 and 1.
struct texture_box {
	size_t origin[3], region[3];
};

// They are in the order of HET_TEXEL_...
constexpr uint32_t channel_bytes[] = {1, 2, 1, 2, 1, 2, 4, 1, 2, 4, 2, 4};
// They are in the order of HET_ORDER_...
constexpr uint32_t channels_of_order[] = {1, 2, 4, 1, 2, 4, 4, 1, 1};

// Both are set.
inline size_t bytes_of_texel(const het_texture_args &a)
{
	return size_t{channels_of_order[a.order - 1]} * channel_bytes[a.type - 1];
}

class device_textures
{
      public:
	virtual ~device_textures() = default;

	// The order is set, and the extent is 1 in dimensions that there are not.
	virtual int make_texture(const het_texture_args &args, void **made) = 0;
	virtual void drop_texture(void *texture) = 0;
	// Lists the formats of textures that are @like one but for these. Puts no more than fit.
	virtual int list_formats(const het_texture_args &like, std::span<het_texture_format> formats,
				 uint32_t *count) = 0;
	virtual int make_sampler(const het_sampler_args &args, void **made) = 0;
	virtual void drop_sampler(void *sampler) = 0;

	// The copies are done when these return. The texels lie without gaps in memory of the library's.
	virtual int read_texture(void *from, const texture_box &box, void *to) = 0;
	virtual int write_texture(void *to, const texture_box &box, const void *from) = 0;
	// @from is where the source is read.
	virtual int copy_texture(void *to, const size_t (&to_origin)[3], void *source, const texture_box &from) = 0;
};

} // namespace het::rt
