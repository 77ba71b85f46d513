// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/program.h"

namespace het::ptx::simt
{

program::~program()
{
	for (uint64_t b : owned_)
		memory_.release(b);
}

uint32_t program::constant(uint64_t value)
{
	auto [at, added] = constant_index_.try_emplace(value, uint32_t(constant_index_.size()));
	if (added)
		constants_.insert(constants_.end(), warp_size, value);
	return at->second;
}

// A module's own names come before what others export.
uint32_t program::find_symbol(uint32_t module, std::string_view name) const
{
	auto found = symbol_names_.find(name);
	if (found == symbol_names_.end())
		return no_index;
	uint32_t other = no_index;
	for (uint32_t s : found->second) {
		if (symbols_[s].module == module)
			return s;
		if (symbols_[s].visible)
			other = s;
	}
	return other;
}

uint32_t program::find_code(uint32_t module, std::string_view name) const
{
	auto found = code_names_.find(name);
	if (found == code_names_.end())
		return no_index;
	uint32_t other = no_index;
	for (uint32_t i : found->second) {
		const code &c = codes_[i];
		bool defined = c.builtin == builtin::none;
		if (c.source == &modules_[module] && defined)
			return i;
		if (other == no_index || (defined && c.head->linkage != linkage::none))
			other = i;
	}
	return other;
}

const code *program::find(std::string_view name) const
{
	auto found = code_names_.find(name);
	if (found == code_names_.end())
		return nullptr;
	for (uint32_t i : found->second)
		if (codes_[i].builtin == builtin::none)
			return &codes_[i];
	return nullptr;
}

program::place_of program::variable(std::string_view name) const
{
	auto found = symbol_names_.find(name);
	if (found == symbol_names_.end())
		return {0, 0};
	for (uint32_t n : found->second) {
		const symbol &s = symbols_[n];
		if (s.space == space::global)
			return {s.address, s.bytes};
		if (s.space == space::constant)
			return {s.address + constant_base_, s.bytes};
	}
	return {0, 0};
}

const code *program::function_at(uint64_t address) const
{
	uint64_t index = (address - function_window) / 16 - 1;
	return (address - function_window) % 16 == 0 && index < codes_.size() ? &codes_[index] : nullptr;
}

} // namespace het::ptx::simt
