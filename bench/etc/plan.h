// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// In which pieces, and in which order, the launches of a program run.
#pragma once

#include "etc/sets.h"

namespace etc
{

struct slice {
	uint32_t launch = 0;
	uint32_t first = 0, end = 0; // blocks
	std::vector<uint32_t> after; // slices, by their place in the order, that have to end before
	// What must be there before the slice begins, and which of it need not be fetched. A slice that uses other
	// pages as well uses them in place.
	std::vector<uint32_t> pages;
	page_set fresh;
	bool in_place = false;
};

// Each launch is one slice, behind the one before it, and nothing needs to be there.
std::vector<slice> plan_of_launches(const program_trace &t);

struct plan_options {
	bool turn = true; // a pass begins with what the one before it has left
	bool mix = true;  // slices of several launches take turns where what they use allows
};
// Launches become slices whose pages fit beside those of the next ones. One of whose blocks needs more than half of the
// memory is a slice as a whole and has the pages there that it uses most.
std::vector<slice> plan_of_slices(const program_trace &t, const machine &m, uint32_t capacity_pages,
				  const plan_options &o);

} // namespace etc
