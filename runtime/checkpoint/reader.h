// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads a checkpoint file of unknown origin.
#pragma once

#include "checkpoint/contents.h"
#include "checkpoint/file.h"

namespace het::checkpoint
{

// This is how far a file is.
struct log_state {
	uint64_t identity = 0;
	uint64_t generation = 0; // is the number of the last one; 0 if there is none
	uint64_t end = 0;        // is where that ends, and the next one begins
};

// Finds what the file holds: its last generation, with the pages of earlier ones that it has kept. What lies behind
// that is of a write that did not come to its end, and is left out. Unless it is done, @why has the reason.
outcome read_log(file &f, contents &c, log_state &s, fault &why);

// Reads pages [first, first + count) of an item, and checks them.
outcome read_pages(file &f, const item &i, uint64_t first, uint64_t count, std::byte *to, fault &why);

} // namespace het::checkpoint
