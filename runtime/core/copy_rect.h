// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies of rectangles, which the host does.
#pragma once

#include "core/rect.h"
#include "core/transfer.h"

namespace het::rt
{

class copy_rect final : public transfer
{
      public:
	using transfer::transfer;
	int take(const het_copy_rect_args &args);
	int begin(executor &) override;

      private:
	int take_side(const het_rect &side, const size_t (&region)[3], rect *placed);

	rect to_, from_;
};

} // namespace het::rt
