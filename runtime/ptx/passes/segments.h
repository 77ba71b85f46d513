// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Segments are parts of a body that threads enter at the first statement and leave after the last, and that may stand
// in the text twice.
#pragma once

#include "ptx/module.h"

#include <vector>

namespace het::ptx
{

struct segment {
	uint32_t first = 0, last = 0; // count in module::statements

	bool operator==(const segment &) const = default;
};

// Segments are as long as they can be. Branches in them go forward, to labels in the same one. They have no calls, no
// declarations of the scope that they stand in, and nothing that lanes wait for each other at: lanes that came to
// different copies of such an instruction would wait for ever. Scopes stand in them whole.
std::vector<segment> segments_of(const module &m, const function &f);

} // namespace het::ptx
