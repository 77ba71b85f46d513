// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/decoder.h"

#include "ptx/lexer.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

} // namespace

decoder::decoder(program &p, code &c) : p_(p), code_(c), m_(*c.source)
{
	for (uint32_t i = 0; i < p.modules_.size(); i++)
		if (&p.modules_[i] == c.source)
			module_index_ = i;
}

bool decoder::fail(span where, std::string what)
{
	if (!fault_)
		fault_ = m_.fault_at(where, std::move(what));
	return false;
}

std::optional<fault> decoder::run()
{
	uint32_t index = uint32_t(code_.head - m_.functions.data());
	declare_parameters(code_.head->first_parameter, &code_.parameters);
	declare_parameters(code_.head->first_result, &code_.results);
	uint32_t first = code_.head->first_parameter + code_.head->parameters;
	for (uint32_t i = first; i < m_.variables.size() && m_.variables[i].function == index; i++)
		declare(m_.variables[i]);
	carry_ = make_ref(place::registers, code_.registers++);
	code_.local_base_register = code_.registers++;
	local_base_ = make_ref(place::registers, code_.local_base_register);
	for (const statement &s : m_.statements_of(*code_.head))
		if (!statement_of(s))
			return fault_;
	// A body may end without a return.
	u_ = {};
	u_.action = action::ret;
	u_.statement = code_.head->statement;
	code_.ops.push_back(u_);
	if (resolve())
		find_reconvergence(code_, p_);
	return fault_;
}

// --- names ---------------------------------------------------------------------

void decoder::declare_parameters(uint32_t first, std::vector<argument> *places)
{
	for (uint32_t i = 0; i < places->size(); i++) {
		const variable &v = m_.variables[first + i];
		argument &a = (*places)[i];
		if (v.space == space::reg) {
			a.value = make_ref(place::registers, code_.registers);
			add_name(m_.str(v.name), {0, space::reg, v.type, 1, 0, code_.registers++, a.bytes});
		} else {
			add_name(m_.str(v.name), {0, space::param, v.type, v.vector, 0, a.offset, a.bytes});
		}
	}
}

void decoder::declare(const variable &v)
{
	local_name n{v.block, v.space, v.type, v.vector, v.numbered, 0, uint32_t(v.bytes())};
	uint32_t many = std::max(v.numbered, 1u);
	auto take = [&](uint32_t &total) {
		n.at = uint32_t(aligned(total, v.alignment()));
		total = n.at + n.bytes * many;
	};
	if (v.space == space::reg) {
		n.at = code_.registers;
		code_.registers += many * v.vector;
	} else if (v.space == space::local) {
		take(code_.local_bytes);
	} else if (v.space == space::param) {
		take(code_.param_bytes);
	} else if (uint32_t symbol = p_.symbols_of_variables_[module_index_][size_t(&v - m_.variables.data())];
		   symbol != no_index) {
		n.at = symbol;
	} else {
		return;
	}
	add_name(m_.str(v.name), n);
}

bool decoder::in_scope(uint32_t block) const
{
	for (uint32_t b = s_->block; b != block; b = m_.block_parents[b])
		if (b == 0)
			return false;
	return true;
}

// @number receives which of %r<N> it is.
const decoder::local_name *decoder::find(std::string_view name, uint32_t *number) const
{
	auto look = [&](std::string_view key, bool numbered) -> const local_name * {
		auto found = names_.find(key);
		if (found == names_.end())
			return nullptr;
		for (auto n = found->second.rbegin(); n != found->second.rend(); n++)
			if ((n->numbered > 0) == numbered && in_scope(n->block))
				return &*n;
		return nullptr;
	};
	*number = 0;
	if (auto n = look(name, false))
		return n;
	size_t digits = name.size();
	while (digits && is_digit(name[digits - 1]))
		digits--;
	// "%r10" may be number 10 of %r<N>, or number 0 of %r1<N>.
	for (; digits < name.size(); digits++) {
		if (name[digits] == '0' && digits + 1 < name.size())
			continue;
		uint64_t value = 0;
		for (char c : name.substr(digits))
			value = std::min<uint64_t>(value * 10 + uint64_t(c - '0'), no_index);
		auto n = look(name.substr(0, digits), true);
		if (n && value < n->numbered) {
			*number = uint32_t(value);
			return n;
		}
	}
	return nullptr;
}

// Returns whether it looks like a register of some range %r<N>, of this function or another block of it.
bool decoder::is_numbered(std::string_view name) const
{
	for (size_t stem = name.size(); stem > 0 && is_digit(name[stem - 1]); stem--) {
		auto found = names_.find(name.substr(0, stem - 1));
		if (found != names_.end() && std::any_of(found->second.begin(), found->second.end(),
							 [](const local_name &n) { return n.numbered > 0; }))
			return true;
	}
	return false;
}

// --- statements ------------------------------------------------------------------

bool decoder::statement_of(const statement &s)
{
	s_ = &s;
	if (s.kind == statement::kind_t::instruction)
		return instruction_of(s);
	if (s.kind == statement::kind_t::directive)
		return directive(s);
	if (s.kind != statement::kind_t::label)
		return true;
	last_label_ = m_.str(m_.labels[s.index]);
	if (!labels_.try_emplace(last_label_, uint32_t(code_.ops.size())).second)
		return fail(m_.labels[s.index], "a second label of this name");
	return true;
}

bool decoder::directive(const statement &s)
{
	if (!m_.str(s.text).starts_with(".branchtargets"))
		return true;
	lexer words(std::string_view(m_.text).substr(0, s.text.end), s.text.begin);
	for (token t = words.next(); t.kind != token_kind::end; t = words.next())
		if (t.kind == token_kind::name)
			target_lists_[last_label_].push_back(t.text);
	return true;
}

bool decoder::instruction_of(const statement &s)
{
	i_ = &m_.instructions[s.index];
	mnemonic_ = mnemonic(m_.str(i_->opcode));
	u_ = {};
	unknown_.clear();
	u_.statement = uint32_t(&s - m_.statements.data());
	reads_.clear();
	writes_.clear();
	if (!i_->guard.empty()) {
		operand o;
		o.kind = operand::kind_t::name;
		o.text = o.name = i_->guard;
		bool negated = false;
		if (!predicate(o, &u_.guard, &negated))
			return false;
		u_.guard_negated = i_->guard_negated;
		if (!unknown_.empty())
			u_.guard = {}; // needs none, as the fault is that it is read
		reads_.clear();        // forgets the guard, which is looked at by itself
	}
	if (handler h = handler_of(mnemonic_.base()); h) {
		if (!(this->*h)())
			return false;
	} else {
		using select_fn = selection (*)(const mnemonic &);
		selection chosen;
		for (select_fn select : {select_integer, select_real, select_bits, select_half, select_choice})
			if (!chosen.run)
				chosen = select(mnemonic_);
		if (!(chosen.run ? simple(chosen) : unsupported("this instruction")))
			return false;
	}
	finish();
	return true;
}

void decoder::finish()
{
	if (!unknown_.empty())
		unsupported(unknown_);
	u_.first_use = add_refs(reads_);
	add_refs(writes_);
	u_.uses = uint32_t(reads_.size());
	u_.defs = uint32_t(writes_.size());
	code_.ops.push_back(u_);
}

uint32_t decoder::add_refs(const std::vector<ref> &refs)
{
	uint32_t first = uint32_t(p_.refs_.size());
	p_.refs_.insert(p_.refs_.end(), refs.begin(), refs.end());
	return first;
}

bool decoder::wants(uint32_t least, uint32_t most)
{
	if (count() >= least && count() <= most)
		return true;
	return fail(i_->opcode, "this instruction has " + std::to_string(least) +
					(most > least ? " to " + std::to_string(most) : "") + " operands, not " +
					std::to_string(count()));
}

// It is a fault only if it is executed.
bool decoder::unsupported(std::string_view why)
{
	u_.action = action::unsupported;
	u_.target = uint32_t(p_.reasons_.size());
	p_.reasons_.emplace_back(why);
	return true;
}

bool decoder::resolve()
{
	for (const auto &j : jumps_) {
		auto found = labels_.find(m_.str(j.label));
		if (found == labels_.end())
			return fail(j.label, "no such label in this function");
		if (j.op == no_index)
			p_.tables_[j.table][j.entry] = found->second;
		else if (code_.ops[j.op].action == action::branch)
			code_.ops[j.op].target = found->second;
	}
	return true;
}

decoder::handler decoder::handler_of(std::string_view base)
{
	static const std::unordered_map<std::string_view, handler> handlers = {
		{"mov", &decoder::move},
		{"cvt", &decoder::convert},
		{"setp", &decoder::compare},
		{"set", &decoder::compare},
		{"ld", &decoder::transfer},
		{"ldu", &decoder::transfer},
		{"st", &decoder::transfer},
		{"atom", &decoder::atomic},
		{"red", &decoder::atomic},
		{"cp", &decoder::copy_async},
		{"cvta", &decoder::convert_address},
		{"isspacep", &decoder::is_space},
		{"alloca", &decoder::local_stack},
		{"stacksave", &decoder::local_stack},
		{"stackrestore", &decoder::local_stack},
		{"bra", &decoder::branch},
		{"brx", &decoder::indexed_branch},
		{"call", &decoder::call},
		{"ret", &decoder::leave},
		{"exit", &decoder::leave},
		{"trap", &decoder::leave},
		{"bar", &decoder::barrier},
		{"barrier", &decoder::barrier},
		{"vote", &decoder::vote},
		{"match", &decoder::match},
		{"shfl", &decoder::shuffle},
		{"activemask", &decoder::active_mask},
		{"redux", &decoder::reduce},
		{"elect", &decoder::elect},
		{"mbarrier", &decoder::barrier_object},
		{"ldmatrix", &decoder::move_matrix},
		{"stmatrix", &decoder::move_matrix},
		{"movmatrix", &decoder::move_matrix},
		{"mma", &decoder::multiply_matrices},
		{"wmma", &decoder::fragment},
		{"membar", &decoder::nothing},
		{"fence", &decoder::nothing},
		{"prefetch", &decoder::nothing},
		{"prefetchu", &decoder::nothing},
		{"nanosleep", &decoder::nothing},
		{"pmevent", &decoder::nothing},
	};
	auto found = handlers.find(base);
	return found == handlers.end() ? nullptr : found->second;
}

} // namespace het::ptx::simt
