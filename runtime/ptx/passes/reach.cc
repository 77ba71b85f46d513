// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/reach.h"

#include "ptx/lexer.h"
#include "ptx/passes/calls.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

// Calls @f with every name in a part of the text that is no register's.
template <typename F> void for_names(const module &m, span text, F f)
{
	lexer words(std::string_view(m.text).substr(0, text.end), text.begin);
	for (token t = words.next(); t.kind != token_kind::end; t = words.next())
		if (t.kind == token_kind::name && m.str(t.text)[0] != '%')
			f(m.str(t.text));
}

} // namespace

reach::reach(const module &m) : m_(m), of_(m.functions.size())
{
	for (uint32_t i = 0; i < m.functions.size(); i++)
		if (m.functions[i].has_body)
			functions_[m.str(m.functions[i].name)] = i;
	for (uint32_t i = 0; i < m.variables.size(); i++) {
		if (m.variables[i].space == space::shared)
			shared_[m.str(m.variables[i].name)].push_back(i);
		point_to(m.variables[i].initial);
	}
	for (uint32_t i = 0; i < m.functions.size(); i++)
		look_at(i);
}

void reach::point_to(span text)
{
	for_names(m_, text, [&](std::string_view name) {
		if (auto found = functions_.find(name); found != functions_.end())
			pointed_to_.push_back(found->second);
	});
}

void reach::look_at(uint32_t function)
{
	names &n = of_[function];
	for (const statement &s : m_.statements_of(m_.functions[function])) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		const auto &i = m_.instructions[s.index];
		auto callee = callee_of(m_, i);
		n.calls_pointers = n.calls_pointers || callee.starts_with('%');
		for_names(m_, {i.opcode.end, s.text.end}, [&](std::string_view name) {
			name_shared(function, name);
			auto found = functions_.find(name);
			if (found != functions_.end())
				(name == callee ? n.called : pointed_to_).push_back(found->second);
		});
	}
}

// A variable of a function hides others.
void reach::name_shared(uint32_t function, std::string_view name)
{
	auto found = shared_.find(name);
	if (found == shared_.end())
		return;
	for (uint32_t v : found->second)
		if (m_.variables[v].block == 0 || m_.variables[v].function == function)
			of_[function].shared.push_back(v);
}

std::vector<uint32_t> reach::from(uint32_t function) const
{
	std::vector<uint32_t> all{function};
	std::vector<bool> known(of_.size());
	known[function] = true;
	for (size_t i = 0; i < all.size(); i++) {
		const names &n = of_[all[i]];
		auto add = [&](uint32_t f) {
			if (!known[f])
				all.push_back(f);
			known[f] = true;
		};
		std::for_each(n.called.begin(), n.called.end(), add);
		if (n.calls_pointers)
			std::for_each(pointed_to_.begin(), pointed_to_.end(), add);
	}
	return all;
}

std::set<uint32_t> reach::shared_variables(uint32_t function) const
{
	std::set<uint32_t> named;
	for (uint32_t f : from(function))
		named.insert(of_[f].shared.begin(), of_[f].shared.end());
	return named;
}

uint64_t reach::shared_bytes(uint32_t function) const
{
	uint64_t bytes = 0;
	for (uint32_t v : shared_variables(function)) {
		uint64_t alignment = std::max(m_.variables[v].alignment(), 1u);
		bytes = (bytes + alignment - 1) / alignment * alignment + m_.variables[v].bytes();
	}
	return bytes;
}

} // namespace het::ptx
