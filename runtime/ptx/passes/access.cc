// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/access.h"

#include "ptx/lexer.h"

#include <algorithm>
#include <charconv>

namespace het::ptx
{

memory_access access_of(const module &m, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	memory_access a;
	a.space = op.state_space();
	auto base = op.base();
	if (base == "cp" && op.has("async") && op.has("global") && !op.has("bulk") && i.operands > 1) {
		a.space = space::global; // what it reads; it writes shared memory
		a.reads = m.operand_of(i, 1).kind == operand::kind_t::address;
		a.address = a.reads ? &m.operand_of(i, 1) : nullptr;
		return a;
	}
	bool loads = base == "ld" || base == "ldu", stores = base == "st", updates = base == "atom" || base == "red";
	if ((!loads && !stores && !updates) || op.has("async"))
		return a;
	uint32_t at = loads || base == "atom" ? 1 : 0;
	if (at >= i.operands || m.operand_of(i, at).kind != operand::kind_t::address)
		return a;
	a.address = &m.operand_of(i, at);
	a.reads = !stores;
	a.writes = !loads;
	return a;
}

std::optional<matrix_access> matrix_access_of(const module &m, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	auto shape = fragment_of(op);
	if (!shape)
		return std::nullopt;
	matrix_access a;
	a.shape = *shape;
	a.writes = op.has("store");
	a.space = op.state_space();
	uint32_t at = a.writes ? 0 : 1;
	if (i.operands < 2 || m.operand_of(i, at).kind != operand::kind_t::address)
		return std::nullopt;
	a.address = &m.operand_of(i, at);
	a.stride = i.operands > 2 ? std::string(m.str(m.operand_of(i, 2))) : std::to_string(shape->line_elements());
	return a;
}

namespace
{

// cp.async.bulk and cp.reduce.async.bulk name the space that they write first.
bool bulk_writes_global(const mnemonic &op)
{
	for (auto m : op.modifiers())
		if (m == "global" || m.starts_with("shared"))
			return m == "global" && op.has("bulk") && !op.has("prefetch");
	return op.has("bulk");
}

// A map of a tensor is changed where it is, or comes from shared memory.
bool tensor_map_writes_global(const mnemonic &op)
{
	return op.base() == "tensormap" && (op.has("cp_fenceproxy") || !op.has("shared::cta"));
}

} // namespace

bool writes_unseen(const module &m, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	auto base = op.base();
	bool plain = base == "st" || base == "atom" || base == "red";
	if (plain)
		return op.has("async") || !access_of(m, i).address;
	// What is discarded may have any value then.
	return (base == "cp" && bulk_writes_global(op)) || tensor_map_writes_global(op) || base == "discard" ||
	       base == "sust" || base == "sured" || (base == "wmma" && op.has("store")) || base == "multimem";
}

bool reads_unseen(const module &m, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	auto base = op.base();
	bool plain = base == "ld" || base == "ldu" || base == "atom" || base == "red";
	if (plain)
		return op.has("async") || !access_of(m, i).address;
	bool copy = base == "cp" && (op.has("bulk") || (op.has("global") && !access_of(m, i).address));
	bool image = base == "tex" || base == "tld4" || base == "suld" || base == "sured";
	return copy || image || base == "multimem" || (base == "wmma" && op.has("load"));
}

bool calls_unseen(const module &m, const instruction &i)
{
	if (mnemonic(m.str(i.opcode)).base() != "call")
		return false;
	uint32_t at = i.operands && m.operand_of(i, 0).kind == operand::kind_t::group ? 1 : 0;
	if (at >= i.operands)
		return true;
	auto name = m.str(m.operand_of(i, at));
	constexpr std::string_view harmless[] = {"vprintf", "malloc", "free", "__assertfail"};
	if (std::find(std::begin(harmless), std::end(harmless), name) != std::end(harmless))
		return false;
	auto f = m.find_function(name);
	// Through a register it reaches functions of the module, unless others come in from outside, which a module
	// without declarations of them can't tell: the runtime links no other code.
	return f ? !f->has_body : !name.starts_with('%');
}

unsigned target_number(const module &m)
{
	auto target = m.str(m.target);
	unsigned n = 0;
	if (target.starts_with("sm_"))
		std::from_chars(target.data() + 3, target.data() + target.size(), n);
	return n;
}

type register_type(const module &m, const statement &s, std::string_view name)
{
	auto visible = [&](uint32_t block) {
		for (uint32_t b = s.block; b != block; b = m.block_parents[b])
			if (b == 0)
				return false;
		return true;
	};
	for (auto v = m.variables.rbegin(); v != m.variables.rend(); v++) {
		if (v->space != space::reg || v->block == 0 || !visible(v->block))
			continue;
		auto known = m.str(v->name);
		bool numbered = v->numbered && name.starts_with(known) && name.size() > known.size() &&
				name.find_first_not_of("0123456789", known.size()) == name.npos;
		if (known == name || numbered)
			return v->type;
	}
	return type::none;
}

bool names_variable(const module &m, const statement &s, const operand &address)
{
	auto name = m.str(address.name);
	return !name.empty() && register_type(m, s, name.substr(0, name.find('.'))) == type::none;
}

std::vector<span> registers_of(const module &m, const statement &s)
{
	std::vector<span> all;
	lexer words(std::string_view(m.text).substr(0, s.text.end), m.instructions[s.index].opcode.end);
	for (token t = words.next(); t.kind != token_kind::end; t = words.next()) {
		if (t.kind == token_kind::name && m.str(t.text).starts_with('%'))
			all.push_back(t.text);
		else if (t.kind == token_kind::directive && !all.empty() && all.back().end == t.text.begin)
			all.back().end = t.text.end;
	}
	return all;
}

std::string guard_of(const module &m, const instruction &i)
{
	if (i.guard.empty())
		return "";
	return (i.guard_negated ? "@!" : "@") + std::string(m.str(i.guard)) + " ";
}

std::string address_into(const module &m, const statement &s, const operand &address, const std::string &to)
{
	auto name = std::string(m.str(address.name));
	auto offset = std::to_string(address.value);
	if (name.empty())
		return "mov.u64 " + to + ", " + offset + ";";
	type t = register_type(m, s, name.substr(0, name.find('.')));
	if (t == type::none)
		return "mov.u64 " + to + ", " + name + ";\nadd.u64 " + to + ", " + to + ", " + offset + ";";
	if (bits_of(t) == 64)
		return "add.u64 " + to + ", " + name + ", " + offset + ";";
	return "cvt.u64.u32 " + to + ", " + name + ";\nadd.u64 " + to + ", " + to + ", " + offset + ";";
}

} // namespace het::ptx
