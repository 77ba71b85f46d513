// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what belongs to a kernel: the functions that it may call, and the shared memory that all of them name.
#pragma once

#include "ptx/module.h"

#include <set>
#include <unordered_map>

namespace het::ptx
{

class reach
{
      public:
	explicit reach(const module &m);

	// Returns the indices of functions with a body, @function first. A call through a register may go to any
	// function whose address is taken.
	std::vector<uint32_t> from(uint32_t function) const;
	// Returns the indices of the variables in shared memory that these functions name, in their order.
	std::set<uint32_t> shared_variables(uint32_t function) const;
	// Returns the bytes as the linker lays them out, without what a launch adds.
	uint64_t shared_bytes(uint32_t function) const;

      private:
	struct names {
		std::vector<uint32_t> called, shared; // indices of functions and of variables
		bool calls_pointers = false;
	};
	void look_at(uint32_t function);
	void point_to(span text);
	void name_shared(uint32_t function, std::string_view name);

	const module &m_;
	std::unordered_map<std::string_view, uint32_t> functions_; // those with a body
	std::unordered_map<std::string_view, std::vector<uint32_t>> shared_;
	std::vector<names> of_;
	std::vector<uint32_t> pointed_to_;
};

} // namespace het::ptx
