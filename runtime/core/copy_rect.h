// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The host does these copies of rectangles.
#pragma once

#include "core/rect.h"
#include "core/transfer.h"

namespace het::rt
{

// Commands of which a side is a rectangle have this in common.
class rect_transfer : public transfer
{
      public:
	using transfer::transfer;

      protected:
	// Finds the rectangle in memory, and retains the object it belongs to. Returns 0 or HET_EARG.
	int take_side(const char *call, const het_rect &side, const size_t (&region)[3], rect *placed);
	// Returns how other commands see a side that is read, or written.
	static access_entry entry_of(const rect &r, uint32_t access);
	static int bring_rows_to_host(const rect &r, uint32_t access);
};

class copy_rect final : public rect_transfer
{
      public:
	using rect_transfer::rect_transfer;
	int take(const het_copy_rect_args &args);
	begin_result begin(executor &) override;

      private:
	rect to_, from_;
};

} // namespace het::rt
