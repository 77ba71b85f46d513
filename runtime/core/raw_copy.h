// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These copies are from and to device memory that has addresses.
#pragma once

#include "core/raw_memory.h"
#include "core/transfer.h"

namespace het::rt
{

// The host's side is in order with other commands, the device's is not.
class raw_copy final : public transfer
{
      public:
	using transfer::transfer;
	int take(const het_copy_args &args);
	begin_result begin(executor &) override;

      private:
	// One side is bytes of a raw range, or of the host's.
	struct side {
		range bytes;
		reference<raw_range> raw;
		// Returns where the host has them, or null.
		char *on_host() const;
		bool is_plain() const; // of struct transfer
	};
	int take_side(const place_in_memory &p, het_device *on, size_t n, side *s);
	bool is_on_devices() const { return to_.raw && from_.raw; }
	int bring_host_side();
	int pass_piece(char *staging, size_t offset, size_t n);
	int pass_pieces();
	int pass_all();

	side to_, from_;
};

} // namespace het::rt
