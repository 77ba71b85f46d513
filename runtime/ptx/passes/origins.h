// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells where addresses come from: which parameters and variables they were made of, on any way through the module. Two
// that have no origin in common are of different objects, unless the program was given one object under two names.
#pragma once

#include "ptx/module.h"

#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace het::ptx
{

// The set is sorted. If it is empty, or has unknown_origin, the address may point to anything, as one does that was
// loaded from memory.
using origin_set = std::vector<uint32_t>;
constexpr uint32_t unknown_origin = 0;

class address_origins
{
      public:
	explicit address_origins(const module &m);

	// Returns the origins of the register or variable that an address is based on.
	const origin_set &of(const function &f, const operand &address) const;
	// Returns whether the address can only be one of the module's own variables, in whatever memory.
	bool is_of_variables(const function &f, const operand &address) const;

      private:
	using scope = uint32_t; // a function's number, or the module: one more than the last

	scope whole() const { return scope(m_.functions.size()); }
	bool add(scope in, std::string_view to, const origin_set &from);
	bool add_to_all(scope in, const operand &to, const origin_set &from);
	uint32_t new_origin() { return next_++; }
	const origin_set &find(scope in, std::string_view name) const;
	origin_set sources(scope in, const operand &o) const;
	void name_objects();
	bool flow_through(scope in, const instruction &i);
	bool flow_through_call(scope in, const instruction &i);
	bool flow_from_memory(scope in, const instruction &i);

	const module &m_;
	std::vector<std::unordered_map<std::string_view, origin_set>> known_; // those of each scope
	// Fields of kernels' parameters have these origins, by place.
	std::map<std::pair<std::string_view, int64_t>, uint32_t> fields_;
	uint32_t next_ = unknown_origin + 1;
	uint32_t end_of_variables_ = next_; // those of variables come first
};

// Finds memory that several threads use at a time: what the atomics and the volatile, relaxed, acquiring and releasing
// accesses of the module go to. A plain load there may see different bytes in lanes that should do the same.
class contended_memory
{
      public:
	explicit contended_memory(const module &m);
	bool may_have(const function &f, const operand &address) const;

      private:
	address_origins origins_;
	origin_set contended_;
	bool anything_ = false; // there is an access that may go anywhere
};

// Returns whether the access itself says that other threads take part.
bool is_of_several_threads(const mnemonic &op);

} // namespace het::ptx
