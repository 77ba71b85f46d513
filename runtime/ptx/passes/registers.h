// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Gives the registers of a function numbers, and tells which of them a statement reads and writes.
#pragma once

#include "ptx/module.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace het::ptx
{

struct register_info {
	std::string name; // without a component
	enum type type;   // that of one component
	uint8_t vector;   // 2 or 4 for those declared as .v2 and .v4
	uint32_t scope;   // the innermost { } of the declaration
};

struct register_uses {
	std::vector<uint32_t> reads, writes;
	// The statement may leave a part of what it writes as it was: its guard does not hold, or it writes one
	// component.
	bool partly = false;
};

class function_registers
{
      public:
	function_registers(const module &m, const function &f);

	uint32_t count() const { return uint32_t(all_.size()); }
	const register_info &operator[](uint32_t r) const { return all_[r]; }
	// Returns no_index if the name, which may have a component, is no register where the statement stands.
	uint32_t find(const statement &s, std::string_view name) const;
	// Takes the number of a statement of the body; what is no instruction uses nothing.
	const register_uses &uses_of(uint32_t n) const { return uses_[n]; }

      private:
	uint32_t number_of(const statement &s, std::string_view name);
	register_uses look_at(const statement &s);
	void add_results(const statement &s, const operand &o, register_uses *u, std::vector<span> *written);

	const module &m_;
	std::vector<register_info> all_;
	std::vector<uint32_t> variables_; // declarations of registers in the function
	// The keys are names, with the scope of the use and with that of the declaration.
	std::map<std::pair<std::string_view, uint32_t>, uint32_t> numbers_, declared_;
	std::vector<register_uses> uses_;
};

// Returns whether the first operand of such an instruction is what it writes.
bool writes_first_operand(const mnemonic &op);

// Returns whether the instruction loads from a parameter of the kernel that it stands in.
bool loads_own_parameter(const module &m, const function &f, const instruction &i);

} // namespace het::ptx
