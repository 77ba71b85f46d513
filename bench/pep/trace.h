// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the warps of a kernel's blocks did, instruction by instruction: this is what the model replays.
#pragma once

#include "pep/machine.h"

#include <array>
#include <bitset>

namespace pep
{

constexpr unsigned most_registers = 256; // of a thread; nothing has more
using register_set = std::bitset<most_registers>;

enum class unit : uint8_t {
	arithmetic,
	product,    // of integers
	special,    // conversions, and functions that are approximated
	wide,       // of 64 bits
	subroutine, // divisions and roots that are exact
	shared,     // shared memory, constants, and parameters
	memory,
	barrier,
};

struct instruction {
	enum unit unit = unit::arithmetic;
	bool loads = false, stores = false; // of unit::memory
	bool stores_shared = false;
	bool branches = false;               // a branch stands behind it
	std::vector<uint16_t> reads, writes; // places of registers and predicates
	register_set changes;                // the registers of these
};

struct step {
	uint16_t instruction = 0;
	uint16_t count = 0; // lines
	uint32_t first = 0; // of these, in block_trace::lines
};

struct block_trace {
	std::vector<std::vector<step>> warps;
	std::vector<uint32_t> lines; // address / line_bytes; the uppermost bit is set where other blocks use the line
	uint64_t steps = 0;
};
constexpr uint32_t line_of_several = uint32_t{1} << 31;

struct kernel_trace {
	std::string name;
	unsigned threads = 0;       // of a block
	unsigned registers = 0;     // of a thread
	unsigned places = 0;        // with predicates
	unsigned shared_bytes = 0;  // of a block
	bool is_idempotent = false; // no block has read what any block has written, and there was no atomic operation
	std::vector<instruction> text;
	std::vector<block_trace> blocks;

	unsigned warps() const { return (threads + lanes_of_warp - 1) / lanes_of_warp; }
	// The thesis' context of a block: allocated registers and shared memory.
	uint64_t context_bytes() const { return uint64_t{warps()} * lanes_of_warp * registers * 4 + shared_bytes; }
	double mean_steps() const
	{
		uint64_t all = 0;
		for (const block_trace &b : blocks)
			all += b.steps;
		return double(all) / double(blocks.size());
	}
};

// Returns how many such blocks a processor has room for.
inline unsigned blocks_that_fit(const machine &m, const kernel_trace &k)
{
	const unsigned threads = k.warps() * lanes_of_warp;
	unsigned n = std::min(m.blocks_of_processor, m.threads_of_processor / threads);
	if (k.registers)
		n = std::min(n, (m.register_kb << 10) / (threads * k.registers * 4));
	if (k.shared_bytes)
		n = std::min(n, (m.shared_kb << 10) / k.shared_bytes);
	return n;
}

} // namespace pep
