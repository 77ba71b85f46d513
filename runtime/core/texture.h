// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Textures and samplers are objects of one device's.
#pragma once

#include "core/object.h"
#include "core/range.h"
#include "core/runtime.h"
#include "dev/textures.h"

#include <algorithm>

struct het_texture final : het::rt::object {
	~het_texture() override;

	// Returns 0, HET_EARG, HET_ENODEV or HET_EDEVICE.
	int open(const het_texture_args &args);
	// Returns whether all of the range's texels are in it; its unused dimensions must be 0 and 1.
	bool contains(const het::rt::texture_box &box) const;
	// Returns whether the range has all of its texels.
	bool is_all(const het::rt::texture_box &box) const { return std::equal(extent_, extent_ + 3, box.region); }
	size_t texel_bytes() const;

	// Returns what stands for its texels in the order of commands: bytes that are nobody else's.
	het::range name() const { return het::range_of(this, 1); }

	het_device *device = nullptr;
	void *handle = nullptr;

      private:
	uint64_t nbytes() const;

	het_texture_args shape_ = {};
	// To copies, an array's layers are a dimension.
	size_t extent_[3] = {1, 1, 1};
};

namespace het::rt
{

// Serves het_texture_formats(). Returns 0 or a code.
int list_texture_formats(const het_texture_args &like, std::span<het_texture_format> formats, uint32_t *count);

} // namespace het::rt

struct het_sampler final : het::rt::object {
	~het_sampler() override;
	int open(const het_sampler_args &args);

	het_device *device = nullptr;
	void *handle = nullptr;
};
