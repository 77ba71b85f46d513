// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bytes as runs that do not touch, in order.
#pragma once

#include "core/range.h"

#include <memory>
#include <span>

namespace het::rt
{

class range_set
{
      public:
	// These are false without memory.
	bool add(range r);
	bool cut(range r);
	bool copy(const range_set &from);
	void clear() { n_ = 0; }
	// Keeps what lies in @r alone.
	void keep(range r);
	std::span<const range> runs() const { return {runs_.get(), n_}; }

      private:
	bool make_room(size_t n);

	std::unique_ptr<range[]> runs_;
	size_t n_ = 0, room_ = 0;
};

} // namespace het::rt
