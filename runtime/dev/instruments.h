// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds which instruments HET_INSTRUMENT asks for, and makes a PTX text with them.
#pragma once

#include "ptx/passes/pass.h"

namespace het::rt
{

struct instruments {
	bool coalesce = false, dirty = false, touch = false;
	uint32_t one_of = 1; // for coalesce, which counts one of so many warps

	bool any() const { return coalesce || dirty || touch; }
};

// @asked is HET_COALESCE... of a program, which counts one of @one_of warps. 0 stands for what the environment asks
// for; words of it that are not understood are reported, once, and left out.
instruments wanted_instruments(uint32_t asked, uint32_t one_of);

// Reads the list of the environment variable. Returns false if a word is not understood; the others count.
bool parse_instruments(std::string_view list, instruments &out);

struct instrumented {
	std::string text;
	instruments has; // those that see all there is to see in it
	std::vector<ptx::pass_site> sites;
	std::string missing; // tells why others are not there; it is empty if all are
};

instrumented instrument(const char *ptx, const instruments &wanted);

} // namespace het::rt
