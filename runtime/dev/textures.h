// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes, reads and writes textures and samplers of a device that has them. Any thread may make the calls; they return 0
// or a code, having said why.
#pragma once

#include <cstddef>
#include <het.h>

namespace het::rt
{

// Describes a box of texels; unused dimensions are 0 and 1.
struct texture_box {
	size_t origin[3], region[3];
};

class device_textures
{
      public:
	virtual ~device_textures() = default;

	virtual int make_texture(const het_texture_args &args, void **made) = 0;
	virtual void drop_texture(void *texture) = 0;
	virtual int make_sampler(const het_sampler_args &args, void **made) = 0;
	virtual void drop_sampler(void *sampler) = 0;

	// The copies are done when these return. The texels lie without gaps in memory of the library's.
	virtual int read_texture(void *from, const texture_box &box, void *to) = 0;
	virtual int write_texture(void *to, const texture_box &box, const void *from) = 0;
	// @from is where the source is read.
	virtual int copy_texture(void *to, const size_t (&to_origin)[3], void *source, const texture_box &from) = 0;
};

} // namespace het::rt
