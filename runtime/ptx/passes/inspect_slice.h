// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds what of a module decides which addresses its kernels use: what the addresses, and the branches that lead to
// them, are made of, and so on backwards (a slice of the program, after Weiser).
//
// A register, or a variable in .param, has all that any statement writes to it; local memory is one thing, and shared
// memory is one thing, with all that orders its accesses. What global memory holds is what it holds when the kernel
// begins.
#pragma once

#include "ptx/passes/flow.h"
#include "ptx/passes/origins.h"
#include "ptx/passes/reach.h"
#include "ptx/passes/registers.h"

#include <map>
#include <memory>
#include <set>

namespace het::ptx
{

class inspect_slice
{
      public:
	explicit inspect_slice(const module &m);

	// Finds it anew for all kernels but those for which @without has true, by the number of a function.
	void find(const std::vector<bool> &without);
	// Returns whether it is a kernel that is inspected, or one of these may call it.
	bool has(const function &f) const { return body_of(f) && body_of(f)->is_part; }
	// Returns the functions that a function may call, itself first.
	std::vector<uint32_t> reached_from(uint32_t function) const { return reach_.from(function); }

	// Returns whether the instruction uses arrays: global or generic memory that is no variable of the module.
	bool uses_arrays(const function &f, const statement &s) const;

	// The rest is of functions that it has. Statements are numbered within the body.
	bool keeps(const function &f, uint32_t statement) const { return body_of(f)->kept[statement]; }
	// Returns whether addresses or branches depend on what the statement writes to registers, and on shared memory.
	bool needs_results(const function &f, uint32_t statement) const;
	bool needs_shared(const function &f) const { return body_of(f)->wants_shared; }
	// Branches that are not kept go to this statement, where their ways meet; the number of statements stands for
	// the end.
	std::map<uint32_t, uint32_t> jumps(const function &f) const;
	// Returns the statements to which some branch goes back, jumps among them.
	std::set<uint32_t> loops(const function &f) const;
	const function_registers &registers(const function &f) const { return body_of(f)->registers; }
	const control_flow &flow(const function &f) const { return body_of(f)->flow; }
	// Returns for each block those that decide whether it runs.
	const std::vector<std::vector<uint32_t>> &deciders(const function &f) const { return body_of(f)->deciders; }

      private:
	struct body {
		body(const module &m, const function &f);

		function_registers registers;
		control_flow flow;
		std::vector<std::vector<uint32_t>> deciders;
		std::vector<uint32_t> meets;
		bool is_part = false, wants_shared = false, wants_local = false;
		std::vector<bool> needed;  // registers
		std::vector<bool> kept;    // statements
		std::vector<bool> decides; // blocks, by how they end
	};
	using slot = std::pair<uint32_t, std::string_view>; // a variable in .param of a function

	const body *body_of(const function &f) const { return bodies_[size_t(&f - m_.functions.data())].get(); }
	void begin(const std::vector<bool> &without);
	bool step(uint32_t function);
	bool follow(uint32_t function, uint32_t statement);
	bool follow_parameters(uint32_t function, uint32_t statement);
	bool follow_call(uint32_t function, const instruction &i);
	bool is_wanted(uint32_t function, uint32_t statement) const;
	bool is_wanted_call(uint32_t function, const instruction &i) const;
	bool want_register(body *b, uint32_t r);
	bool want_memory(body *b, const instruction &i);
	bool want_block(body *b, uint32_t block);
	bool want_slot(uint32_t function, std::string_view name) { return slots_.emplace(function, name).second; }
	bool has_slot(uint32_t function, std::string_view name) const { return slots_.contains({function, name}); }
	bool share_wants();
	bool uses_arrays_somewhere(uint32_t function) const;

	const module &m_;
	const reach reach_;
	const address_origins origins_;
	std::vector<std::unique_ptr<body>> bodies_; // of functions; null for those without one
	std::vector<bool> uses_;                    // functions that may use arrays
	std::set<slot> slots_;
};

} // namespace het::ptx
