// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/texture.h"

#include "core/reserve.h"
#include "os/log.h"

#include <algorithm>
#include <iterator>

using namespace het;
using namespace het::rt;

namespace
{

// It is null with *err set if the device has none.
device_textures *find_textures(const char *call, het_device *d, int *err)
{
	device_textures *found = d ? d->compute->textures() : nullptr;
	if (!d)
		*err = fail(HET_ENULL, "%s: null device", call);
	else if (!found)
		*err = fail(HET_ENODEV, "%s: %s has no textures", call, d->compute->info().name);
	return found;
}

bool has_possible_shape(const het_texture_args &a)
{
	constexpr uint32_t known = HET_TEXTURE_OF_BUFFER | HET_TEXTURE_READ_AND_WRITTEN;
	const bool is_line = a.dimensions == 1 && !a.layers;
	return a.dimensions >= 1 && a.dimensions <= 3 && (!a.layers || a.dimensions < 3) && !(a.flags & ~known) &&
	       (!(a.flags & HET_TEXTURE_OF_BUFFER) || is_line) && !a.reserved;
}

bool has_possible_texels(const het_texture_args &a)
{
	if (a.order > std::size(channels_of_order) || a.type < 1 || a.type > std::size(channel_bytes))
		return false;
	if (a.order)
		return !a.channels || a.channels == channels_of_order[a.order - 1];
	return a.channels == 1 || a.channels == 2 || a.channels == 4;
}

bool is_possible(const het_texture_args &a)
{
	bool ok = has_possible_shape(a) && has_possible_texels(a);
	for (unsigned d = 0; ok && d < 3; d++)
		ok = d < a.dimensions ? a.extent[d] > 0 : a.extent[d] <= 1;
	return ok;
}

void complete(het_texture_args &a)
{
	if (!a.order)
		a.order = a.channels == 1 ? HET_ORDER_R : a.channels == 2 ? HET_ORDER_RG : HET_ORDER_RGBA;
	for (unsigned d = a.dimensions; d < 3; d++)
		a.extent[d] = 1;
}

} // namespace

het_texture::~het_texture()
{
	if (!handle)
		return;
	device->compute->textures()->drop_texture(handle);
	give_back(*device, memory_kind::textures, nbytes());
}

int het_texture::open(const het_texture_args &args)
{
	int err = 0;
	device_textures *textures = find_textures("het_texture_create", args.device, &err);
	if (!textures)
		return err;
	if (!is_possible(args))
		return fail(HET_EARG,
			    "het_texture_create: %u dimensions, %zu layers, flags 0x%x, %zu x %zu x %zu texels of %u "
			    "channels in order %u of type %u",
			    args.dimensions, args.layers, args.flags, args.extent[0], args.extent[1], args.extent[2],
			    args.channels, args.order, args.type);
	device = args.device;
	shape_ = args;
	complete(shape_);
	std::copy_n(shape_.extent, 3, extent_);
	if (args.layers)
		extent_[args.dimensions] = args.layers;
	err = reserve(*device, memory_kind::textures, nbytes(), "het_texture_create");
	if (err)
		return err;
	err = textures->make_texture(shape_, &handle);
	if (err)
		give_back(*device, memory_kind::textures, nbytes());
	return err;
}

// A driver may need more, for rows of a certain length.
uint64_t het_texture::nbytes() const
{
	return uint64_t{extent_[0]} * extent_[1] * extent_[2] * texel_bytes();
}

bool het_texture::contains(const texture_box &box) const
{
	for (unsigned d = 0; d < 3; d++) {
		if (!box.region[d] || box.origin[d] > extent_[d] || box.region[d] > extent_[d] - box.origin[d])
			return false;
	}
	return true;
}

size_t het_texture::texel_bytes() const
{
	return bytes_of_texel(shape_);
}

int het::rt::list_texture_formats(const het_texture_args &like, std::span<het_texture_format> formats, uint32_t *count)
{
	int err = 0;
	device_textures *textures = find_textures("het_texture_formats", like.device, &err);
	if (!textures)
		return err;
	if (!has_possible_shape(like))
		return fail(HET_EARG, "het_texture_formats: %u dimensions, %zu layers, flags 0x%x", like.dimensions,
			    like.layers, like.flags);
	return textures->list_formats(like, formats, count);
}

het_sampler::~het_sampler()
{
	if (handle)
		device->compute->textures()->drop_sampler(handle);
}

int het_sampler::open(const het_sampler_args &args)
{
	int err = 0;
	device_textures *textures = find_textures("het_sampler_create", args.device, &err);
	if (!textures)
		return err;
	if (args.flags || args.normalized > 1 || args.linear > 1 || args.outside > HET_OUTSIDE_MIRRORED)
		return fail(HET_EARG, "het_sampler_create: normalized %u, outside %u, linear %u", args.normalized,
			    args.outside, args.linear);
	device = args.device;
	return textures->make_sampler(args, &handle);
}
