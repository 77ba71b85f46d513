// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Describes the matrices of wmma.load and wmma.store: where they lie in memory, and how many elements of them a lane
// holds.
#pragma once

#include "ptx/isa.h"

#include <optional>

namespace het::ptx
{

struct fragment_shape {
	unsigned rows = 0, columns = 0;
	bool by_columns = false; // elements which follow each other in memory are a column
	type element = type::none;

	unsigned lines() const { return by_columns ? columns : rows; } // counts those of memory, a stride apart
	unsigned line_elements() const { return by_columns ? rows : columns; }
	unsigned line_bytes() const { return line_elements() * bytes_of(element); }
};

// Describes the matrix of an instruction whose elements are whole bytes; returns nothing for others.
std::optional<fragment_shape> fragment_of(const mnemonic &op);

// Holds rows and columns of a product and the depth of its sums, from a name such as m16n16k16; all are 0 if there is
// none.
struct product_shape {
	unsigned rows = 0, columns = 0, depth = 0;
};
product_shape product_of(const mnemonic &op);

} // namespace het::ptx
