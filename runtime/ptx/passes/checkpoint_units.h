// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lays out the registers of a thread among the words of its context.
#pragma once

#include "ptx/isa.h"
#include "ptx/passes/checkpoint_delta.h"

#include <string>
#include <vector>

namespace het::ptx
{

// Names a register, or a component of one.
struct saved_value {
	std::string name;
	enum type type;
	uint32_t number; // of the register, in its function
};

// Words that are saved and brought back together: a register of 64 or 32 bits, two of 16, or up to 32 predicates.
struct saved_unit {
	std::vector<saved_value> values;
	uint32_t words = 1, place = 0;
	checkpoint_sets stale = never_saved; // since where it is to be saved again

	bool is_packed() const { return bits_of(values[0].type) < 32; }
	// Returns whether they are the same registers in the same place.
	bool is_same(const saved_unit &other) const;
};

// Packs what a stop point saves.
std::vector<saved_unit> units_of(const std::vector<saved_value> &values);

// Gives places to the units of all stop points of a kernel. Those of one stop point share none, and a register of whole
// words has the same place everywhere, so what is saved there need not be moved for another stop point. Returns how
// many words there are.
uint32_t place_units(const std::vector<std::vector<saved_unit> *> &points);

} // namespace het::ptx
