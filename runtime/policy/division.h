// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How a launch is cut for several devices, and whether it is worth it. Pure.
#pragma once

#include "policy/policy.h"

namespace het::rt
{

// The work-items of a launch; local[0] is 0 where nobody has said how large a group is.
struct work_grid {
	unsigned dimensions;
	size_t global[3], local[3], offset[3];

	size_t groups(unsigned d) const { return (global[d] + local[d] - 1) / local[d]; }
};

// Rows of groups lie along the last dimension that has more than one.
struct division {
	unsigned along;
	size_t count;
	const char *why_not; // for people: why it can't be cut; null: it can
};
division divide(const work_grid &g);

// Work-items of a group along the first dimension, if the program leaves the choice: all devices can have them, and
// they divide all.
size_t choose_group(size_t global, size_t most_everywhere);

// What is known of a launch that can be cut.
struct prospect {
	size_t rows;
	// One a device: rows a second, or guesses; and what is the least to keep it busy.
	std::span<const double> speeds;
	std::span<const size_t> busy_rows;
	bool known;          // the speeds are no guesses
	bool has_twins;      // devices must compare what they have written afterwards,
	double twin_seconds; // which takes so long
	const char *asked;   // the policy that the user wants; null: none
};

// The smallest blocks that are worth their launch, one a device.
void choose_grains(const prospect &p, std::span<size_t> grains);

struct chosen_policy {
	policy_maker make;    // null: @asked is unknown, or one device is to do it all
	const char *why_one;  // for people: why one device does it; null: it does not
	double block_seconds; // that a block should last, where speeds are known
};
chosen_policy choose_policy(const prospect &p, std::span<const size_t> grains);

} // namespace het::rt
