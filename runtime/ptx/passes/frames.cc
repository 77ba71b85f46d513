// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/frames.h"

#include "ptx/passes/access.h"
#include "ptx/passes/calls.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool takes_memory(std::string_view base)
{
	return base == "alloca" || base == "stacksave" || base == "stackrestore";
}

std::string_view base_of(const module &m, const instruction &i)
{
	return mnemonic(m.str(i.opcode)).base();
}

bool visible(const module &m, uint32_t from, uint32_t block)
{
	while (from != block && from)
		from = m.block_parents[from];
	return from == block;
}

} // namespace

bool stack_user::is_one(const module &m, const function &f)
{
	for (const statement &s : m.statements_of(f)) {
		if (s.kind == statement::kind_t::variable && m.variables[s.index].space == space::local)
			return true;
		if (s.kind == statement::kind_t::instruction && takes_memory(base_of(m, m.instructions[s.index])))
			return true;
	}
	return false;
}

stack_user::stack_user(const stacking &c, const function &f, editor &e, pass_result &out)
    : c_(c), m_(c.m), f_(f), e_(e), out_(out), regions_(find_regions(m_, f)), in_regions_(!f.is_entry && c.has_regions)
{
}

void stack_user::refuse(span where, const char *why)
{
	if (!out_.refused)
		out_.refused = m_.fault_at(where, why);
}

void stack_user::run()
{
	out_.refused = regions_.wrong;
	list_variables();
	if (uses_stack())
		make_registers();
	for (uint32_t n = 0; n < f_.statements && !out_.refused; n++)
		statement_of(m_.statements_of(f_)[n], regions_.inside[n]);
	e_.at_begin(f_, prologue());
}

bool stack_user::uses_stack() const
{
	return bytes_ || takes_ || (f_.is_entry && calls_ && c_.used);
}

void stack_user::make_registers()
{
	auto make = [&](type t) { return e_.new_register(f_, t); };
	slot_ = make(type::b64), frame_ = make(type::b64), top_ = make(type::b64), limit_ = make(type::b64);
	room_ = make(type::b64), thread_ = make(type::b32), extent_ = make(type::b32), bad_ = make(type::pred);
	if (in_regions_)
		private_ = make(type::pred);
	for (auto &a : variables_)
		a.address = a.offset ? make(type::b64) : frame_;
}

// Variables that are declared inside a region stay where they are: each lane has its own.
void stack_user::list_variables()
{
	for (uint32_t n = 0; n < f_.statements; n++) {
		const auto &s = m_.statements_of(f_)[n];
		bool declares = s.kind == statement::kind_t::variable && m_.variables[s.index].space == space::local;
		if (s.kind == statement::kind_t::instruction) {
			const auto &i = m_.instructions[s.index];
			takes_ = takes_ || (takes_memory(base_of(m_, i)) && !regions_.inside[n]);
			calls_ = calls_ || base_of(m_, i) == "call";
		}
		for (uint32_t v = s.index; declares && v < s.index + s.count; v++) {
			if (regions_.inside[n]) {
				kept_.push_back(v);
				continue;
			}
			uint64_t align = std::max(m_.variables[v].alignment(), 1u);
			uint64_t offset = (bytes_ + align - 1) / align * align;
			variables_.push_back({v, offset, ""});
			bytes_ = offset + m_.variables[v].bytes();
			align_ = std::max(align_, align);
		}
		if (declares && !regions_.inside[n])
			e_.replace(s.text, "");
	}
	bytes_ = (bytes_ + align_ - 1) / align_ * align_;
}

const stack_user::automatic *stack_user::moved(const statement &s, std::string_view name) const
{
	for (auto a = variables_.rbegin(); a != variables_.rend(); a++) {
		const auto &v = m_.variables[a->variable];
		if (m_.str(v.name) == name && visible(m_, s.block, v.block))
			return &*a;
	}
	return nullptr;
}

bool stack_user::kept(const statement &s, const operand &o) const
{
	return std::any_of(kept_.begin(), kept_.end(), [&](uint32_t n) {
		const auto &v = m_.variables[n];
		return m_.str(v.name) == m_.str(o.name) && visible(m_, s.block, v.block);
	});
}

// --- statements ------------------------------------------------------------------

void stack_user::statement_of(const statement &s, bool inside)
{
	if (s.kind != statement::kind_t::instruction)
		return;
	const auto &i = m_.instructions[s.index];
	auto base = base_of(m_, i);
	if (i.operands < (base == "alloca" || base == "cvta" ? 2u : takes_memory(base) ? 1u : 0u))
		return refuse(s.text, "operands are missing");
	if (dynamic(s, i, inside))
		return;
	names(s, i);
	opcode(s, i);
	if (base == "ret")
		leave(s);
}

void stack_user::names(const statement &s, const instruction &i)
{
	for (uint32_t n = 0; n < i.operands; n++) {
		const operand &o = m_.operand_of(i, n);
		name(s, i, o);
		for (uint32_t c = 0; c < o.children; c++)
			name(s, i, m_.child_of(o, c));
	}
}

void stack_user::name(const statement &s, const instruction &i, const operand &o)
{
	bool own = kept(s, o);
	auto a = own ? nullptr : moved(s, m_.str(o.name));
	if (!a && !own)
		return;
	auto base = base_of(m_, i);
	bool takes_address = (base == "mov" || base == "cvta") && i.operands == 2;
	if (o.kind == operand::kind_t::address) {
		if (a)
			e_.replace(o.name, a->address);
	} else if (!takes_address || bits_of(mnemonic(m_.str(i.opcode)).last_type()) != 64) {
		refuse(s.text, "the address of a variable in an instruction that is not followed");
	} else if (own) {
		e_.replace(i.opcode, "cvta.local.u64");
	} else {
		e_.replace(i.opcode, "add.u64");
		e_.replace(o.text, a->address + ", " + std::to_string(o.value));
	}
}

// All addresses are generic ones, except those of variables that stay and are named.
void stack_user::opcode(const statement &s, const instruction &i)
{
	mnemonic op(m_.str(i.opcode));
	if (op.state_space() != space::local || op.base() == "isspacep")
		return;
	if (op.base() == "cvta") {
		if (bits_of(op.last_type()) != 64)
			return refuse(s.text, "an address of 32 bits");
		const operand &from = m_.operand_of(i, 1);
		if (!kept(s, from) && !moved(s, m_.str(from.name)))
			e_.replace(i.opcode, "mov.u64");
		return;
	}
	for (uint32_t n = 0; n < i.operands; n++) {
		const operand &o = m_.operand_of(i, n);
		if (o.kind != operand::kind_t::address)
			continue;
		if (kept(s, o))
			return;
		if (!moved(s, m_.str(o.name)) && bits_of(register_type(m_, s, m_.str(o.name))) != 64)
			return refuse(s.text, "an address of 32 bits");
	}
	auto text = std::string(m_.str(i.opcode));
	e_.replace(i.opcode, text.erase(text.find(".local"), 6));
}

// --- memory while the function runs ------------------------------------------------

bool stack_user::dynamic(const statement &s, const instruction &i, bool inside)
{
	auto base = base_of(m_, i);
	if (!takes_memory(base))
		return false;
	if (mnemonic(m_.str(i.opcode)).last_type() != type::u64) {
		refuse(s.text, "an address of 32 bits");
		return true;
	}
	auto done = e_.new_label(), own = e_.new_label();
	std::string lines;
	if (!i.guard.empty())
		lines = "@" + std::string(i.guard_negated ? "" : "!") + std::string(m_.str(i.guard)) + " bra " + done +
			";\n";
	if (inside) {
		lines += from_lane(i, base);
	} else {
		if (in_regions_)
			lines += in_names("@<private> bra <it>;\n", own);
		lines += from_stack(i, base);
		if (in_regions_)
			lines += "\nbra " + done + ";\n" + own + ":\n" + from_lane(i, base);
	}
	e_.before(s, lines + "\n" + done + ":");
	e_.replace(s.text, "");
	return true;
}

std::string stack_user::from_stack(const instruction &i, std::string_view base)
{
	auto first = m_.str(m_.operand_of(i, 0));
	if (base == "stacksave")
		return in_names("ld.shared.u64 <it>, [<slot>];", first);
	if (base == "stackrestore")
		return in_names("st.shared.u64 [<slot>], <it>;", first);
	int64_t align = i.operands > 2 ? m_.operand_of(i, 2).value : 8;
	return in_names("ld.shared.v2.u64 {<room>, <limit>}, [<slot>];\nsub.u64 <limit>, <room>, <limit>;\n") +
	       in_names("setp.lt.u64 <bad>, <limit>, <it>;\n@<bad> trap;\nsub.u64 <room>, <room>, <it>;\n",
			m_.str(m_.operand_of(i, 1))) +
	       in_names("and.b64 <room>, <room>, -<it>;\n", std::to_string(std::max<int64_t>(align, 16))) +
	       in_names("ld.shared.u64 <limit>, [<slot>+8];\nsetp.lt.u64 <bad>, <room>, <limit>;\n@<bad> trap;\n"
			"st.shared.u64 [<slot>], <room>;\nmov.u64 <it>, <room>;",
			first);
}

std::string stack_user::from_lane(const instruction &i, std::string_view base) const
{
	auto first = std::string(m_.str(m_.operand_of(i, 0)));
	auto text = m_.text.substr(i.opcode.begin, m_.operand_of(i, i.operands - 1).text.end - i.opcode.begin) + ";";
	if (base == "alloca")
		text += "\ncvta.local.u64 " + first + ", " + first + ";";
	return text;
}

void stack_user::leave(const statement &s)
{
	if (f_.is_entry || !uses_stack())
		return;
	e_.unguard(s);
	e_.before(s, in_names(in_regions_ ? "@!<private> st.shared.u64 [<slot>], <top>;"
					  : "st.shared.u64 [<slot>], <top>;"));
}

} // namespace het::ptx
