// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides how a launch is cut for several devices, and whether it is worth it. No system call is made.
#pragma once

#include "policy/policy.h"

namespace het::rt
{

// Holds the work-items of a launch; local[0] is 0 where nobody has said how large a group is.
struct work_grid {
	unsigned dimensions;
	size_t global[3], local[3], offset[3];

	size_t groups(unsigned d) const { return (global[d] + local[d] - 1) / local[d]; }
};

// Rows of groups lie along the last dimension that has more than one.
struct division {
	unsigned along;
	size_t count;
	const char *why_not; // tells people why it can't be cut; it is null if it can
};
division divide(const work_grid &g);

// Returns how many work-items a group has along the first dimension if the program leaves the choice: all devices can
// have so many, and they divide all.
size_t choose_group(size_t global, size_t most_everywhere);

// A prospect is what is known of a launch that can be cut.
struct prospect {
	size_t rows;
	// These have one number for each device: rows a second, or guesses; and the least rows to keep it busy.
	std::span<const double> speeds;
	std::span<const size_t> busy_rows;
	bool known;          // the speeds are no guesses
	double seconds;      // the quickest device takes so long alone; 0 if that is not known
	bool has_twins;      // devices must compare afterwards what they have written
	double twin_seconds; // that takes so long
	const char *asked;   // the policy that the user wants, or null
};

// Chooses the smallest blocks that are worth their launch, one for each device.
void choose_grains(const prospect &p, std::span<size_t> grains);

struct chosen_policy {
	policy_maker make;    // null if @asked is unknown, or one device is to do it all
	const char *why_one;  // tells people why one device does it; it is null if several do
	double block_seconds; // how long a block should last, where speeds are known
};
chosen_policy choose_policy(const prospect &p, std::span<const size_t> grains);

} // namespace het::rt
