// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells which registers have a value that is still to be read.
#pragma once

#include "ptx/passes/flow.h"
#include "ptx/passes/registers.h"

namespace het::ptx
{

class liveness
{
      public:
	liveness(const control_flow &flow, const function_registers &registers);

	// Returns the registers that live where control is about to run a statement of the body, in order.
	std::vector<uint32_t> before(uint32_t statement) const;

      private:
	using set = std::vector<bool>;
	void step_back(uint32_t statement, set *live) const;
	set at_end_of(uint32_t block) const;

	const control_flow &flow_;
	const function_registers &registers_;
	std::vector<set> at_begin_; // those of each block
};

} // namespace het::ptx
