// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/origins.h"

#include "ptx/passes/access.h"
#include "ptx/passes/calls.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool is_unknown(const origin_set &s)
{
	return s.empty() || s.front() == unknown_origin;
}

// Results of such operations are no addresses, whatever they are given.
bool makes_numbers(std::string_view base)
{
	constexpr std::string_view all[] = {"mul", "mul24", "div", "rem", "shl",   "shr",     "setp",
					    "set", "popc",  "clz", "bfe", "bfind", "isspacep"};
	return std::find(std::begin(all), std::end(all), base) != std::end(all);
}

// Such operations are of the form a * b + c.
bool adds_product(std::string_view base)
{
	return base == "mad" || base == "mad24" || base == "fma";
}

// Returns whether the set has become larger.
bool add_origins(origin_set *to, const origin_set &from)
{
	size_t before = to->size();
	for (uint32_t one : from) {
		auto at = std::lower_bound(to->begin(), to->end(), one);
		if (at == to->end() || *at != one)
			to->insert(at, one);
	}
	return to->size() != before;
}

} // namespace

address_origins::address_origins(const module &m) : m_(m), known_(m.functions.size() + 1)
{
	name_objects();
	for (bool changed = true; changed;) {
		changed = false;
		for (scope f = 0; f < m.functions.size(); f++)
			for (const statement &s : m.statements_of(m.functions[f]))
				if (s.kind == statement::kind_t::instruction)
					changed |= flow_through(f, m.instructions[s.index]);
	}
}

// A function's parameter has an origin of its own, besides those of its callers' arguments: not all callers are seen.
void address_origins::name_objects()
{
	for (const variable &v : m_.variables)
		if (v.space != space::reg && v.space != space::param)
			add(v.block ? v.function : whole(), m_.str(v.name), {new_origin()});
	end_of_variables_ = next_;
	for (scope f = 0; f < m_.functions.size(); f++) {
		const function &fn = m_.functions[f];
		for (uint32_t p = fn.first_parameter; !fn.is_entry && p < fn.first_parameter + fn.parameters; p++)
			add(f, m_.str(m_.variables[p].name), {new_origin()});
	}
}

bool address_origins::add(scope in, std::string_view to, const origin_set &from)
{
	return add_origins(&known_[in][to], from);
}

bool address_origins::add_to_all(scope in, const operand &to, const origin_set &from)
{
	bool changed = to.kind == operand::kind_t::name && add(in, m_.str(to.name), from);
	for (uint32_t n = 0; n < to.children; n++)
		changed |= add(in, m_.str(m_.child_of(to, n).name), from);
	return changed;
}

const origin_set &address_origins::find(scope in, std::string_view name) const
{
	static const origin_set none;
	name = name.substr(0, name.find('.'));
	for (scope s : {in, whole()})
		if (auto at = known_[s].find(name); at != known_[s].end())
			return at->second;
	return none;
}

origin_set address_origins::sources(scope in, const operand &o) const
{
	origin_set all;
	if (o.kind == operand::kind_t::name)
		all = find(in, m_.str(o.name));
	for (uint32_t n = 0; n < o.children; n++)
		add_origins(&all, sources(in, m_.child_of(o, n)));
	return all;
}

bool address_origins::flow_through(scope in, const instruction &i)
{
	mnemonic op(m_.str(i.opcode));
	auto base = op.base();
	if (base == "call")
		return flow_through_call(in, i);
	if (i.operands < 2 || makes_numbers(base))
		return false;
	if (base == "ld" || base == "ldu" || base == "atom" || (base == "st" && op.state_space() == space::param))
		return flow_from_memory(in, i);
	origin_set from;
	for (uint32_t n = adds_product(base) ? i.operands - 1 : 1; n < i.operands; n++)
		add_origins(&from, sources(in, m_.operand_of(i, n)));
	return add_to_all(in, m_.operand_of(i, 0), from);
}

// Fields of kernels' parameters are told apart by their place: a structure may hold several addresses.
bool address_origins::flow_from_memory(scope in, const instruction &i)
{
	mnemonic op(m_.str(i.opcode));
	const operand &to = m_.operand_of(i, 0), &from = m_.operand_of(i, 1);
	if (op.base() == "st")
		return add(in, m_.str(to.name), sources(in, from));
	origin_set loaded;
	auto name = m_.str(from.name);
	bool is_parameter = op.base() == "ld" && op.state_space() == space::param;
	if (is_parameter && m_.functions[in].is_entry && !known_[in].contains(name)) {
		auto [field, fresh] = fields_.try_emplace({name, from.value}, next_);
		next_ += fresh;
		loaded = {field->second};
	} else if (is_parameter) {
		loaded = find(in, name);
	} else if (bits_of(op.last_type()) >= 64) {
		loaded = {unknown_origin};
	}
	return add_to_all(in, to, loaded);
}

// What functions that are not seen return, or those that are called through a register, may point to anything.
bool address_origins::flow_through_call(scope in, const instruction &i)
{
	bool changed = false;
	auto parts = parts_of_call(m_, i);
	const function *callee = parts.callee ? m_.find_function(m_.str(parts.callee->name)) : nullptr;
	bool seen = callee && callee->has_body;
	scope of = seen ? scope(callee - m_.functions.data()) : whole();
	for (uint32_t n = 0; parts.results && n < parts.results->children; n++) {
		bool known = seen && n < callee->results;
		auto from = known ? find(of, m_.str(m_.variables[callee->first_result + n].name))
				  : origin_set{unknown_origin};
		changed |= add(in, m_.str(m_.child_of(*parts.results, n).name), from);
	}
	for (uint32_t n = 0; seen && parts.arguments && n < std::min(parts.arguments->children, callee->parameters);
	     n++)
		changed |= add(of, m_.str(m_.variables[callee->first_parameter + n].name),
			       sources(in, m_.child_of(*parts.arguments, n)));
	return changed;
}

const origin_set &address_origins::of(const function &f, const operand &address) const
{
	return find(scope(&f - m_.functions.data()), m_.str(address.name));
}

bool address_origins::is_of_variables(const function &f, const operand &address) const
{
	const origin_set &from = of(f, address);
	return !is_unknown(from) && from.back() < end_of_variables_;
}

bool is_of_several_threads(const mnemonic &op)
{
	constexpr std::string_view all[] = {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"};
	return op.base() == "atom" || op.base() == "red" ||
	       std::any_of(std::begin(all), std::end(all), [&](auto one) { return op.has(one); });
}

contended_memory::contended_memory(const module &m) : origins_(m)
{
	for (const function &f : m.functions) {
		for (const statement &s : m.statements_of(f)) {
			if (s.kind != statement::kind_t::instruction)
				continue;
			const instruction &i = m.instructions[s.index];
			auto a = access_of(m, i);
			if (!a.address || !is_of_several_threads(mnemonic(m.str(i.opcode))))
				continue;
			const origin_set &from = origins_.of(f, *a.address);
			anything_ |= is_unknown(from);
			contended_.insert(contended_.end(), from.begin(), from.end());
		}
	}
	std::sort(contended_.begin(), contended_.end());
}

bool contended_memory::may_have(const function &f, const operand &address) const
{
	const origin_set &from = origins_.of(f, address);
	if (anything_ || contended_.empty() || is_unknown(from))
		return anything_ || !contended_.empty();
	return std::any_of(from.begin(), from.end(),
			   [&](uint32_t one) { return std::binary_search(contended_.begin(), contended_.end(), one); });
}

} // namespace het::ptx
