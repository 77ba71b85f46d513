// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Gives the virtual registers of a PTX kernel places in a register file, as an assembler would: those that live at the
// same time have different ones. What the thesis calls allocated registers is the number of places.
#pragma once

#include "ptx/module.h"

#include <vector>

namespace pep
{

struct register_place {
	uint16_t first = 0; // of all places; predicates lie behind the registers
	uint8_t count = 0;  // two for 64 bits; 0: it is a constant of the launch, which takes no register
};

// What a statement of the body uses.
struct register_use {
	std::vector<uint16_t> reads, writes; // places
};

struct allocation {
	unsigned registers = 0;         // of a thread, of 32 bits each
	unsigned predicates = 0;        // these are no part of a context
	std::vector<register_use> uses; // of each statement of the body
	unsigned places() const { return registers + predicates; }
};

allocation allocate(const het::ptx::module &m, const het::ptx::function &f);

} // namespace pep
