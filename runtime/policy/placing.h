// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides which device is to do a command: the one that is expected to have finished first. No system call is made.
#pragma once

#include <cstddef>
#include <span>

namespace het::rt
{

struct candidate {
	double speed;    // in work-items a second, without transfers; 0 means not known
	double ahead;    // seconds of work that it has already
	double missing;  // bytes that it would have to be given
	double rate;     // the rate at which it gets them, in bytes a second
	double cost = 0; // seconds that a launch takes there besides
	// 0 if the device has processors of its own. Devices with the same number share theirs: what one has ahead
	// holds up all of them.
	unsigned processors = 0;
	bool is_sure = true;   // its speed has been measured often enough
	double since = 0;      // seconds that launches of the kernel took on its processors since it was chosen
	bool is_bound = false; // its speed is the highest that it can have (policy/unseen.h)
};

// Returns in how many seconds a device with nothing ahead is expected to have done @items.
double expected_duration(const candidate &c, double items);

// Returns the number of the candidate to choose. The first of them is the one that is chosen where nothing is known. A
// device of unknown speed that has nothing to do gets a command when others have much ahead: so it becomes known, and
// loses little.
//
// Devices that share processors gain nothing from each other's help, and only the quickest of them is worth using:
// which one that is must be known. So each of the others gets a launch when that is a small part of what has been spent
// without it.
size_t place(std::span<const candidate> candidates, double items);

} // namespace het::rt
