// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch of which it is known what its rows use, for those who mix it with others (core/mixed_group.h).
#pragma once

#include "core/kernel_command.h"
#include "evict/slices.h"

namespace het::rt
{

class row_launch : public kernel_command
{
      public:
	using kernel_command::kernel_command;
	bool is_by_rows() const override { return true; }

	virtual het_device &device() const = 0;
	// It runs in slices, and may do so mixed with others.
	virtual bool may_mix() const = 0;
	virtual std::span<const row_use> row_uses() const = 0;
	virtual size_t nrows() const = 0;
	// With fewer the device would not be busy.
	virtual size_t busy_rows() const = 0;
	// Returns what there is for windows, if all leaves that can.
	virtual uint64_t bytes_to_have() const = 0;
};

} // namespace het::rt
