// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These copies are between textures, and between a texture and memory objects or the host's.
#pragma once

#include "core/copy_rect.h"
#include "core/texture.h"

namespace het::rt
{

class texture_copy final : public rect_transfer
{
      public:
	using rect_transfer::rect_transfer;
	int take(const het_texture_copy_args &args);
	begin_result begin(executor &) override;

      private:
	int take_texture(het_texture *t, const size_t (&origin)[3], const size_t (&region)[3],
			 reference<het_texture> *taken, texture_box *box);
	int take_host(const het_texture_copy_args &args);
	int pass_through_host();

	// They are null for the host's side.
	reference<het_texture> to_, from_;
	texture_box to_box_ = {}, from_box_ = {};
	rect host_;
};

} // namespace het::rt
