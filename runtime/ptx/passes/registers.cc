// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/registers.h"

#include "ptx/lexer.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

std::string_view without_component(std::string_view name)
{
	return name.substr(0, name.find('.'));
}

bool is_named(const module &m, const variable &v, std::string_view name)
{
	auto known = m.str(v.name);
	if (!v.numbered)
		return known == name;
	return name.starts_with(known) && name.size() > known.size() &&
	       name.find_first_not_of("0123456789", known.size()) == name.npos;
}

bool lies_in(span inner, span outer)
{
	return inner.begin >= outer.begin && inner.end <= outer.end;
}

} // namespace

bool writes_first_operand(const mnemonic &op)
{
	constexpr std::string_view nothing[] = {
		"st",        "red",          "bra",        "brx",   "ret",     "exit",      "trap",
		"brkpt",     "membar",       "fence",      "cp",    "pmevent", "nanosleep", "prefetch",
		"prefetchu", "discard",      "sust",       "sured", "bar",     "barrier",   "applypriority",
		"stmatrix",  "stackrestore", "setmaxnreg", "wgmma", "tcgen05"};
	auto base = op.base();
	if (base == "bar" || base == "barrier")
		return op.has("red");
	if (base == "wmma" || base == "multimem")
		return !op.has("store") && !op.has("st") && !op.has("red");
	return std::find(std::begin(nothing), std::end(nothing), base) == std::end(nothing);
}

bool loads_own_parameter(const module &m, const function &f, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	if (!f.is_entry || op.base() != "ld" || op.state_space() != space::param || i.operands < 2)
		return false;
	auto name = m.str(m.operand_of(i, 1).name);
	for (uint32_t p = f.first_parameter; p < f.first_parameter + f.parameters; p++)
		if (m.str(m.variables[p].name) == name)
			return true;
	return false;
}

function_registers::function_registers(const module &m, const function &f) : m_(m)
{
	auto index = uint32_t(&f - m.functions.data());
	for (uint32_t v = 0; v < m.variables.size(); v++)
		if (m.variables[v].space == space::reg && m.variables[v].function == index)
			variables_.push_back(v);
	for (const statement &s : m.statements_of(f))
		uses_.push_back(s.kind == statement::kind_t::instruction ? look_at(s) : register_uses());
}

uint32_t function_registers::find(const statement &s, std::string_view name) const
{
	auto found = numbers_.find({without_component(name), s.block});
	return found == numbers_.end() ? no_index : found->second;
}

uint32_t function_registers::number_of(const statement &s, std::string_view name)
{
	name = without_component(name);
	auto [at, fresh] = numbers_.try_emplace({name, s.block}, no_index);
	if (!fresh)
		return at->second;
	const variable *found = nullptr;
	for (uint32_t scope = s.block; scope && !found; scope = m_.block_parents[scope])
		for (uint32_t v : variables_)
			if (m_.variables[v].block == scope && is_named(m_, m_.variables[v], name))
				found = &m_.variables[v];
	if (!found)
		return no_index;
	auto [known, is_new] = declared_.try_emplace({name, found->block}, count());
	if (is_new)
		all_.push_back({std::string(name), found->type, found->vector, found->block});
	return at->second = known->second;
}

void function_registers::add_results(const statement &s, const operand &o, register_uses *u, std::vector<span> *written)
{
	if (o.kind == operand::kind_t::name) {
		if (uint32_t r = number_of(s, m_.str(o.name)); r != no_index)
			u->writes.push_back(r);
		u->partly = u->partly || !o.component.empty();
		written->push_back(o.name);
	}
	bool whole =
		o.kind == operand::kind_t::list || o.kind == operand::kind_t::pair || o.kind == operand::kind_t::group;
	for (uint32_t n = 0; whole && n < o.children; n++)
		add_results(s, m_.child_of(o, n), u, written);
}

register_uses function_registers::look_at(const statement &s)
{
	register_uses u;
	const instruction &i = m_.instructions[s.index];
	mnemonic op(m_.str(i.opcode));
	std::vector<span> written;
	bool gives = op.base() == "call" ? i.operands && m_.operand_of(i, 0).kind == operand::kind_t::group
					 : i.operands && writes_first_operand(op);
	if (gives)
		add_results(s, m_.operand_of(i, 0), &u, &written);
	if (!i.guard.empty()) {
		u.partly = true;
		if (uint32_t r = number_of(s, m_.str(i.guard)); r != no_index)
			u.reads.push_back(r);
	}
	lexer words(std::string_view(m_.text).substr(0, s.text.end), i.opcode.end);
	for (token t = words.next(); t.kind != token_kind::end; t = words.next()) {
		bool result = std::any_of(written.begin(), written.end(), [&](span w) { return lies_in(t.text, w); });
		if (t.kind != token_kind::name || result)
			continue;
		if (uint32_t r = number_of(s, m_.str(t.text)); r != no_index)
			u.reads.push_back(r);
	}
	return u;
}

} // namespace het::ptx
