// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which device is to do a command: the one that is expected to have finished first. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace het::rt
{

struct candidate {
	double speed;   // work-items a second, without transfers; 0: not known
	double ahead;   // seconds of work that it has already
	double missing; // bytes that it would have to be given
	double rate;    // at which it gets them, in bytes a second
};

// Seconds until the device is expected to have done @items more.
double expected_finish(const candidate &c, double items);

// The number of the candidate to choose. The first of them is the one that is chosen where nothing is known. A device of unknown speed
// that has nothing to do gets a command when others have much ahead: so it becomes known, and loses little.
size_t place(std::span<const candidate> candidates, double items);

} // namespace het::rt
