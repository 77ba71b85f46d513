// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// PEP's selector: what a block does when an urgent launch has been announced, and when that is there. All times are
// cycles.
#pragma once

#include <cstdint>

namespace pep
{

struct outlook {
	double left = 0;   // until the block ends
	double lead = 0;   // until the launch is expected; 0 or less: it may be there at any time
	double saving = 0; // a checkpoint, of all blocks of the processor that would be saved at once
};

enum class when_announced : uint8_t {
	drain, // it runs on, and what comes after it is looked at again
	base,  // it saves a base checkpoint, and runs on
};

// Who ends before the launch comes needs no checkpoint, and neither does who ends before it was saved.
constexpr when_announced choose_when_announced(const outlook &o)
{
	return o.left <= o.lead || o.left <= o.saving ? when_announced::drain : when_announced::base;
}

enum class when_there : uint8_t { drain, save };

// @saving: what is left to be saved, after a base checkpoint only the delta.
constexpr when_there choose_when_there(double left, double saving)
{
	return left <= saving ? when_there::drain : when_there::save;
}

// How a block has left: figure 4.6 of the thesis.
enum class leaving : uint8_t { base_and_delta, one_checkpoint, drain, drain_then_one, drain_then_base };
constexpr unsigned leavings = 5;

// @after_drain: it began after the announcement, in the place of one that had drained.
constexpr leaving leaving_of(bool was_saved, bool had_base, bool after_drain)
{
	if (!was_saved)
		return leaving::drain;
	if (after_drain)
		return had_base ? leaving::drain_then_base : leaving::drain_then_one;
	return had_base ? leaving::base_and_delta : leaving::one_checkpoint;
}

} // namespace pep
