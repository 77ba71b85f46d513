// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/texture.h"

#include "core/reserve.h"
#include "os/log.h"

#include <iterator>

using namespace het;
using namespace het::rt;

namespace
{

// They are in the order of HET_TEXEL_...
constexpr size_t channel_bytes[] = {1, 2, 1, 2, 1, 2, 4, 1, 2, 4, 2, 4};

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

bool is_possible(const het_texture_args &a)
{
	bool ok = a.dimensions >= 1 && a.dimensions <= 3 && !a.flags &&
		  (a.channels == 1 || a.channels == 2 || a.channels == 4) && a.type >= 1 &&
		  a.type <= std::size(channel_bytes);
	for (unsigned d = 0; ok && d < 3; d++)
		ok = d < a.dimensions ? a.extent[d] > 0 : a.extent[d] <= 1;
	return ok;
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
			    "het_texture_create: %u dimensions, %zu x %zu x %zu texels of %u channels of type %u",
			    args.dimensions, args.extent[0], args.extent[1], args.extent[2], args.channels, args.type);
	device = args.device;
	shape_ = args;
	for (unsigned d = args.dimensions; d < 3; d++)
		shape_.extent[d] = 1;
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
	return uint64_t{shape_.extent[0]} * shape_.extent[1] * shape_.extent[2] * texel_bytes();
}

bool het_texture::contains(const texture_box &box) const
{
	for (unsigned d = 0; d < 3; d++) {
		if (!box.region[d] || box.origin[d] > shape_.extent[d] ||
		    box.region[d] > shape_.extent[d] - box.origin[d])
			return false;
	}
	return true;
}

size_t het_texture::texel_bytes() const
{
	return shape_.channels * channel_bytes[shape_.type - 1];
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
