// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A policy says how the rows of groups of one launch are shared out among devices. It knows no device, no clock and no
// lock; the caller serialises.
//
// A device asks for its next block when it has room for one. Every row is given out exactly once, unless it was given
// back. Blocks of a device follow each other where that is possible: each boundary between devices is a chunk that has
// to be merged.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace het::rt
{

struct rows {
	size_t first, count; // count is 0 if there are none

	size_t end() const { return first + count; }
};

struct sharing {
	size_t total;
	// Each device has one: the rows of the smallest block that is worth a launch there, at least 1.
	std::span<const size_t> grains;
	// Each device has one, in rows a second, or a guess. Only their ratios need be right; all are positive.
	std::span<const double> speeds;
	// Where speeds are known, blocks last at least so long, since it takes time to begin and end one. 0 means that
	// the speeds are guesses.
	double block_seconds = 0;
};

class policy
{
      public:
	virtual ~policy() = default;
	// Returns an empty block if there is nothing left for this device, unless another leaves.
	virtual rows next(unsigned device) = 0;
	// The device has done a block: what is known of it from the start may be wrong.
	virtual void measured(unsigned /*device*/, size_t /*rows*/, double /*seconds*/) {}
	// The device asks for no more: others get what it would have got.
	virtual void leave(unsigned) {}

	// What the ledger has to know of a policy that goes by speeds: how many rows nobody has got yet, how many a
	// second the device does, or 0 as long as nothing is known of it, and how many it gets at least.
	virtual size_t left() const { return 0; }
	virtual double speed(unsigned) const { return 0; }
	virtual size_t grain(unsigned) const { return 1; }
};

// Returns whether several devices, with so many seconds of other costs, are quicker than the fastest one.
bool is_worth_sharing(size_t rows, std::span<const double> speeds, double cost);

// Each policy has a file. These functions return null if there is no memory. This one gives all rows to the fastest.
std::unique_ptr<policy> make_single_policy(const sharing &s);
// This one cuts contiguous shares by speed, a block each.
std::unique_ptr<policy> make_static_policy(const sharing &s);
// This one cuts equal blocks, and serves whoever comes first.
std::unique_ptr<policy> make_dynamic_policy(const sharing &s);
// This one does the same with blocks that depend on the speed, as far as it is known, and shrink towards the end.
std::unique_ptr<policy> make_hguided_policy(const sharing &s);
// This one cuts shares by speed. Each device takes such blocks from the head of its own, and a device that has none
// left takes from the tail of the one that would be the last to finish.
std::unique_ptr<policy> make_steal_policy(const sharing &s);

// Finds one of these by its name. Returns null if there is none.
using policy_maker = std::unique_ptr<policy> (*)(const sharing &);
policy_maker find_policy(const char *name);
// Returns null if @n is not below their number. The first is the default.
const char *policy_name(size_t n);

} // namespace het::rt
