// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Textures and samplers of one device: what OpenCL calls images. Their shapes are in numpy's order: what lies together
// in memory is the last dimension.
#pragma once

#include "element.h"

#include <array>
#include <het.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace het::python
{

using shape = std::vector<size_t>;

// This is as a copy has it: x, y, z, where the layer is the dimension behind the texture's own.
using place = std::array<size_t, 3>;

struct release_texture {
	void operator()(het_texture *t) const { het_texture_release(t); }
};
struct release_sampler {
	void operator()(het_sampler *s) const { het_sampler_release(s); }
};

// With layers the first number of the shape is how many there are.
struct texture_form {
	shape extent;
	std::string type; // "unorm8", "float", ...
	uint32_t channels;
	bool has_layers, is_of_buffer, is_read_and_written;
};

class texture
{
      public:
	texture(het_device *device, const texture_form &form);

	het_texture *get() const { return t_.get(); }
	het_device *device() const { return device_; }
	const texture_form &form() const { return form_; }
	// Returns where the texel with these numbers is; without them, the first one. Throws if they are too many or
	// too few.
	place place_of(const std::optional<shape> &at) const;
	// Returns how many texels an array of that shape has in each dimension. Throws, with the call named, if its
	// elements are none of the texture's, or its last dimension is not that of the channels.
	place region_of(const shape &array, const element &items, const char *what) const;

      private:
	place in_order(const shape &s, size_t missing) const;

	het_device *device_;
	texture_form form_;
	element items_;
	std::unique_ptr<het_texture, release_texture> t_;
};

class sampler
{
      public:
	// @outside is one of "undefined", "edge", "border", "repeated", "mirrored".
	sampler(het_device *device, bool normalized, const std::string &outside, bool linear);

	het_sampler *get() const { return s_.get(); }

      private:
	std::unique_ptr<het_sampler, release_sampler> s_;
};

} // namespace het::python
