// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/texture_copy.h"

#include "os/log.h"
#include "os/mapping.h"

#include <algorithm>
#include <cstring>

namespace het::rt
{

namespace
{

// It has all texels of a copy, without gaps: drivers get memory of the library's alone.
class texel_block
{
      public:
	explicit texel_block(size_t n) : n_(round_up(n, page_size())), p_(static_cast<char *>(map_private(n_))) {}
	~texel_block()
	{
		if (p_)
			unmap(range_of(p_, n_));
	}
	texel_block(const texel_block &) = delete;
	texel_block &operator=(const texel_block &) = delete;
	char *get() const { return p_; }

      private:
	const size_t n_;
	char *const p_;
};

device_textures &textures_of(const het_texture &t)
{
	return *t.device->compute->textures();
}

} // namespace

int texture_copy::take_texture(het_texture *t, const size_t (&origin)[3], const size_t (&region)[3],
			       reference<het_texture> *taken, texture_box *box)
{
	std::copy_n(origin, 3, box->origin);
	std::copy_n(region, 3, box->region);
	*taken = reference<het_texture>::to(t);
	where.store(&core().service);
	return !t || t->contains(*box)
		       ? 0
		       : fail(HET_EARG, "het_texture_copy: %zu x %zu x %zu texels from (%zu, %zu, %zu) are not inside",
			      region[0], region[1], region[2], origin[0], origin[1], origin[2]);
}

int texture_copy::take_host(const het_texture_copy_args &args)
{
	const size_t texel = (to_ ? to_ : from_)->texel_bytes();
	const size_t region[3] = {args.region[0] * texel, args.region[1],
				  args.region[2]}; // lies inside the texture, so it fits
	if (int err = take_side("het_texture_copy", args.host, region, &host_))
		return err;
	entries_[1] = entry_of(host_, to_ ? HET_READ_ONLY : HET_WRITE_ONLY);
	return 0;
}

int texture_copy::take(const het_texture_copy_args &args)
{
	if (!args.to && !args.from)
		return fail(HET_ENULL, "het_texture_copy: no texture");
	int err = take_texture(args.to, args.to_origin, args.region, &to_, &to_box_);
	if (!err)
		err = take_texture(args.from, args.from_origin, args.region, &from_, &from_box_);
	if (err)
		return err;
	bool both = to_ && from_;
	if (both &&
	    (to_->device != from_->device || to_->texel_bytes() != from_->texel_bytes() || to_.get() == from_.get()))
		return fail(HET_EARG, "het_texture_copy: the textures are on different devices, or unlike, or one");
	// Of texels that are all replaced it does not matter whether they could be written before.
	const bool is_replaced = to_ && to_->is_all(to_box_);
	entries_[0] = {.bytes = (to_ ? to_ : from_)->name(), .reads = !is_replaced, .writes = bool(to_)};
	if (both)
		entries_[1] = {.bytes = from_->name(), .reads = true};
	else if (int e = take_host(args))
		return e;
	accesses = entries_;
	return 0;
}

int texture_copy::pass_through_host()
{
	texel_block block(host_.bytes * host_.count());
	char *at = block.get();
	if (!at)
		return fail(HET_ENOMEM, "het_texture_copy: no memory for %zu bytes", host_.bytes * host_.count());
	int err = bring_rows_to_host(host_, to_ ? HET_READ_ONLY : HET_WRITE_ONLY);
	if (!err && from_)
		err = textures_of(*from_).read_texture(from_->handle, from_box_, at);
	for (size_t i = 0; i < host_.count() && !err; i++, at += host_.bytes) {
		void *row = host_.row(i).ptr();
		memcpy(to_ ? at : row, to_ ? row : at, host_.bytes);
	}
	return err || from_ ? err : textures_of(*to_).write_texture(to_->handle, to_box_, block.get());
}

begin_result texture_copy::begin(executor &)
{
	if (to_ && from_)
		return textures_of(*to_).copy_texture(to_->handle, to_box_.origin, from_->handle, from_box_);
	return pass_through_host();
}

} // namespace het::rt
