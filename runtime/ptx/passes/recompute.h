// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds registers that need not be kept: what they hold can be computed again at any time from parameters, from the
// place of the thread, and from constants.
#pragma once

#include "ptx/passes/registers.h"

namespace het::ptx
{

class recomputation
{
      public:
	recomputation(const module &m, const function &f, const function_registers &registers);

	bool has(uint32_t r) const { return at_[r] != no_index; }
	// Returns the statements of the body that compute these registers, in the order in which they are to run.
	std::vector<uint32_t> of(const std::vector<uint32_t> &registers) const;

      private:
	bool names_constants(const statement &s) const;
	bool is_pure(const statement &s, const function &f) const;
	void add(uint32_t r, std::vector<bool> *wanted) const;

	const module &m_;
	const function_registers &registers_;
	std::vector<uint32_t> at_; // for each register the one statement that computes it, or no_index
};

} // namespace het::ptx
