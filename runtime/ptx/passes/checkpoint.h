// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass checkpoint and those who launch its kernels agree on this: Documentation/het-ptx-checkpoint.rst.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace het::ptx
{

// This lies in global memory; the last parameter of an instrumented kernel is its address, or 0 for a launch that is
// never stopped. Blocks are numbered x + grid[0] * (y + grid[1] * z), places in a launch in the same way.
struct checkpoint_control {
	uint32_t grid[3]; // that of the whole, which %nctaid shows
	uint32_t stride;  // the bytes from the line that one SM looks at to that of the next; 0: all look at one
	uint64_t first; // The block in place n is number first + n, if list is 0; in a resumed launch it is a context.
	uint64_t list;  // If this is not 0, the block, or context, in place n is number n of the u64 at this address.
	// The u64 numbers of blocks (or contexts) that have not begun go to this address, in no order; there is room
	// for all of the launch.
	uint64_t left;
	uint64_t count_left;    // counts those
	uint64_t flags;         // the address of a checkpoint_line for each SM
	uint64_t contexts;      // where context 0 begins
	uint64_t context_bytes; // the bytes from one to the next, as checkpoint_size::context_bytes() tells
	uint64_t limit;         // how many contexts there are
	// Counts those that blocks have asked for, from the first that is free on; blocks that ask for more than there
	// are run on to their end.
	uint64_t count;
	uint32_t block_ns = 0;   // A block takes so long, or 0 if that is not known.
	uint32_t bases = 0;      // counts those that have asked for a context for their base;
	uint32_t base_limit = 0; // so many get one
	uint32_t unused = 0;
};

// What the blocks of an SM look at: each at the word whose number is that of the announcements that it has seen. All
// is 0 when a launch begins.
struct checkpoint_line {
	static constexpr uint32_t most_announcements = 28;

	uint32_t words[most_announcements + 1]; // is not 0 for as many as there were announcements; all of them: stop
	uint32_t lead_ns;                       // so long after the last of these the launch will be told to stop
	uint32_t announcements;
	uint32_t stops; // is not 0 if all blocks are to leave
};
static_assert(sizeof(checkpoint_line) == 128);

// A context begins with this. The words of the threads' places follow, then their registers, word by word for all
// threads, then local memory in the same way, then shared memory.
struct checkpoint_context {
	uint64_t block;
	uint32_t stopped; // tells that the context is to be resumed if it is 1
	uint32_t places; // the sum of the addresses of the variables that were saved: those of the resumed kernel agree
	uint32_t base_bytes; // so much the block saved when its stop was announced, or 0,
	uint32_t stop_bytes; // and so much when it stopped
	uint32_t threads;    // that were saved last
	uint32_t unbegun; // tells, if it was in a launch of those that go on, whether its block left at its begin there
};

// Tells how large the contexts of a kernel are.
struct checkpoint_size {
	uint32_t words = 0;        // those of the registers of a thread
	uint32_t local_words = 0;  // those of its local memory
	uint32_t shared_bytes = 0; // those of variables in shared memory

	// Returns the bytes of a block's context, for the threads of a block and the bytes of shared memory that a
	// launch adds.
	uint64_t context_bytes(uint64_t threads, uint64_t dynamic_bytes) const
	{
		constexpr uint64_t alignment = 128;
		uint64_t bytes = sizeof(checkpoint_context) + 4 * threads * (1 + words + local_words) + shared_bytes +
				 (dynamic_bytes + 3) / 4 * 4;
		return (bytes + alignment - 1) / alignment * alignment;
	}
};

// This follows the name of a kernel in the name of the one that goes on with its contexts.
constexpr std::string_view resumed_suffix = "_het_resumed";

} // namespace het::ptx
