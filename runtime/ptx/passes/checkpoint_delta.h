// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what may have changed on the ways from one stop point of a kernel to another: what is saved at the second one
// if all was saved at the first.
#pragma once

#include "ptx/passes/flow.h"
#include "ptx/passes/reach.h"
#include "ptx/passes/registers.h"

namespace het::ptx
{

// Says at which stop points a thread may have been saved before, if something is to be saved again: bit 0 stands for
// none, bit n for the one with the number n from 1 on, and the last bit for all others, since which everything is.
using checkpoint_sets = uint32_t;
constexpr uint32_t last_of_sets = 31;
constexpr checkpoint_sets never_saved = 1;

// Takes the index of a stop point, from 0 on.
constexpr checkpoint_sets set_of_point(size_t k)
{
	return checkpoint_sets{1} << (k + 1 < last_of_sets ? uint32_t(k + 1) : last_of_sets);
}

// What the ways from one stop point on may write.
class changes_since
{
      public:
	// A thread goes on at the statement @from.
	changes_since(const module &m, const function &f, const reach &calls, const control_flow &flow,
		      const function_registers &registers, uint32_t from);

	struct changes {
		std::vector<bool> registers;
		bool shared = false, local = false;

		bool add(const changes &more); // returns whether it has changed
	};
	// Returns what they may have written when they come to the statement @to, or nothing if none comes there.
	std::optional<changes> at(uint32_t to) const;

      private:
	void step(uint32_t n, changes *c) const;
	void step_memory(const instruction &i, changes *c) const;
	void step_call(const instruction &i, changes *c) const;

	const module &m_;
	const function &f_;
	const reach &calls_;
	const control_flow &flow_;
	const function_registers &registers_;
	const uint32_t from_;
	std::vector<std::optional<changes>> at_begin_; // of each block that they come to
};

} // namespace het::ptx
