// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells where all threads of a warp that have not ended go the same way, and which instructions make them wait for each
// other.
#pragma once

#include "ptx/passes/flow.h"
#include "ptx/passes/registers.h"

namespace het::ptx
{

// Returns whether lanes of a warp do this together, each of them waiting for others.
bool is_of_warps(const mnemonic &op);

class divergence
{
      public:
	// @joint tells for each block whether threads of it wait for others there.
	divergence(const module &m, const function &f, const control_flow &flow, const function_registers &registers,
		   const std::vector<bool> &joint);

	// Returns whether lanes of one warp may run through the block a different number of times.
	bool may_part(uint32_t block) const { return parts_[block]; }
	// Returns whether the register may have different values in lanes of one warp.
	bool differs(uint32_t r) const { return differs_[r]; }

      private:
	bool makes_different(const statement &s, uint32_t n) const;
	bool is_same_by_itself(const statement &s) const;
	bool step();

	const module &m_;
	const function &f_;
	const control_flow &flow_;
	const function_registers &registers_;
	std::vector<std::vector<uint32_t>> deciders_;
	std::vector<bool> parts_, differs_;
};

} // namespace het::ptx
