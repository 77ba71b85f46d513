// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A sweep tells how the address of an access moves with the work-item's ids, and the same for all accesses to an
// argument.
#pragma once

#include "analysis/form.h"
#include "fatbin/format.h"

namespace tool::analysis
{

namespace format = het::fatbin;

// An axis is one dimension's bytes, times what @times says (format.h), from @first to @last steps around.
struct sweep_axis {
	int64_t step = 0;
	product times; // one symbol at most
	bool is_group = false, is_from_zero = false;
	int32_t first = 0, last = 0;

	bool is_there() const { return step != 0; }
	bool moves_as(const sweep_axis &o) const
	{
		return step == o.step && times == o.times && is_group == o.is_group && is_from_zero == o.is_from_zero;
	}
};

// Holds the bytes from begin to end from an address that depends on ids, and on @others which do not.
struct sweep {
	sweep_axis axes[format::most_axes];
	std::map<product, int64_t> others;
	__int128 begin = 0, end = 0;
	uint64_t limit = 0;
	bool is_wrapped = false;
	bool is_exact = true; // all of the bytes are used

	bool has_ids() const { return axes[0].is_there() || axes[1].is_there(); }
	bool moves_as(const sweep &o) const
	{
		return axes[0].moves_as(o.axes[0]) && axes[1].moves_as(o.axes[1]) && others == o.others &&
		       is_wrapped == o.is_wrapped;
	}
	// Adds what another sweep uses that moves as this one.
	void include(const sweep &o);
};

// Returns nothing if the offset depends on ids in another way.
std::optional<sweep> sweep_of(const form &offset, uint64_t length);

enum class ownership {
	shared,  // different work-items use the same byte
	unknown, // they may
	by_rows, // none does, if find_pieces() finds pieces; the sweep has a reach
	own      // none does, in launches of so many dimensions as the sweep has
};
ownership owner_of(const sweep &s);
// Returns whether what is shared is so in launches of all sizes, not only of certain ones.
bool is_certainly_shared(const sweep &s);
uint32_t dimensions_of(const sweep &s);
// Returns nothing if the format has no room for it.
std::optional<format::reach_row> reach_of(const sweep &s);

} // namespace tool::analysis
