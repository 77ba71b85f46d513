// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/loader.h"

#include "ptx/number.h"
#include "simt/decoder.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

builtin builtin_named(std::string_view name)
{
	return name == "vprintf"        ? builtin::vprintf
	       : name == "malloc"       ? builtin::malloc
	       : name == "free"         ? builtin::free
	       : name == "__assertfail" ? builtin::assertfail
					: builtin::undefined;
}

// Makes space for the parameters of a function in its own frame.
uint32_t place_parameters(const module &m, uint32_t first, uint32_t count, uint32_t at, std::vector<argument> *out)
{
	for (uint32_t i = first; i < first + count; i++) {
		const variable &v = m.variables[i];
		if (v.space == space::reg) {
			out->push_back({{0}, 0, bytes_of(v.type)});
			continue;
		}
		at = uint32_t(aligned(at, v.alignment()));
		out->push_back({{}, at, uint32_t(v.bytes())});
		at += uint32_t(v.bytes());
	}
	return at;
}

} // namespace

bool loader::fail(const module &m, span where, std::string what)
{
	if (!fault_)
		fault_ = m.fault_at(where, std::move(what));
	return false;
}

std::optional<fault> program::load(std::vector<module> modules)
{
	for (auto &m : modules)
		modules_.push_back(std::move(m));
	return loader(*this).run();
}

std::optional<fault> loader::run()
{
	uint32_t count = uint32_t(p_.modules_.size());
	for (uint32_t m = 0; m < count; m++) {
		list_functions(m);
		lay_out(m);
	}
	for (uint32_t m = 0; m < count; m++)
		place_externals(m);
	allocate();
	for (uint32_t m = 0; m < count && !fault_; m++)
		fill(m);
	for (auto &code : p_.codes_)
		if (!fault_ && code.builtin == builtin::none)
			fault_ = decoder(p_, code).run();
	return fault_;
}

void loader::list_functions(uint32_t index)
{
	const module &m = p_.modules_[index];
	for (const auto &f : m.functions) {
		auto name = m.str(f.name);
		// A declaration counts where nothing defines the function.
		bool known = p_.find_code(index, name) != no_index;
		if (!f.has_body && (known || m.find_function(name)->has_body))
			continue;
		code &c = p_.codes_.emplace_back();
		c.source = &m;
		c.head = &f;
		c.name = name;
		c.number = uint32_t(p_.codes_.size() - 1);
		if (!f.has_body)
			c.builtin = builtin_named(name);
		c.param_bytes = place_parameters(m, f.first_parameter, f.parameters, 0, &c.parameters);
		c.param_bytes = place_parameters(m, f.first_result, f.results, c.param_bytes, &c.results);
		p_.code_names_[name].push_back(uint32_t(p_.codes_.size() - 1));
	}
}

void loader::lay_out(uint32_t index)
{
	p_.symbols_of_variables_.emplace_back(p_.modules_[index].variables.size(), no_index);
	for (const auto &v : p_.modules_[index].variables)
		if (v.linkage != linkage::external)
			place_variable(index, v);
}

// Variables inside functions live as long as the module's, but are found through their function's scopes alone.
void loader::add_symbol(uint32_t index, const variable &v, uint64_t address)
{
	const module &m = p_.modules_[index];
	auto number = uint32_t(p_.symbols_.size());
	bool is_dynamic = v.space == space::shared && v.linkage == linkage::external && v.elements == 0;
	p_.symbols_.push_back(
		{v.space, address, v.bytes(), v.alignment(), index, v.linkage != linkage::none, is_dynamic});
	p_.symbols_of_variables_[index][size_t(&v - m.variables.data())] = number;
	if (v.block == 0)
		p_.symbol_names_[m.str(v.name)].push_back(number);
}

void loader::place_variable(uint32_t index, const variable &v)
{
	uint64_t at = 0;
	auto place = [&](uint64_t &total) {
		at = aligned(total, v.alignment());
		total = at + v.bytes();
	};
	if (v.space == space::global)
		place(global_bytes_);
	else if (v.space == space::constant)
		place(constant_bytes_);
	else if (v.space != space::shared) // Each kernel lays out shared memory for itself.
		return;
	add_symbol(index, v, at);
}

// Places what no module defines: dynamic shared memory if it has no size, else memory like any other.
void loader::place_externals(uint32_t index)
{
	for (const auto &v : p_.modules_[index].variables) {
		bool has_place = v.elements != 0 || v.space == space::shared;
		if (v.linkage == linkage::external && has_place &&
		    p_.find_symbol(index, p_.modules_[index].str(v.name)) == no_index)
			place_variable(index, v);
	}
}

void loader::allocate()
{
	uint64_t globals = p_.memory_.allocate(std::max<uint64_t>(global_bytes_, 1), "the module's variables");
	uint64_t constants = p_.memory_.allocate(std::max<uint64_t>(constant_bytes_, 1), "the module's constants");
	p_.owned_ = {globals, constants};
	p_.constant_base_ = constants;
	for (auto &s : p_.symbols_)
		s.address += s.space == space::global ? globals : 0;
}

bool loader::fill(uint32_t index)
{
	const module &m = p_.modules_[index];
	for (size_t n = 0; n < m.variables.size(); n++) {
		const variable &v = m.variables[n];
		bool has_memory = v.space == space::global || v.space == space::constant;
		if (!has_memory || v.linkage == linkage::external)
			continue;
		// Without a value they are zero.
		const auto &s = p_.symbols_[p_.symbols_of_variables_[index][n]];
		uint64_t at = s.address + (v.space == space::constant ? p_.constant_base_ : 0);
		std::vector<uint8_t> zeroes(v.bytes());
		p_.memory_.write(at, zeroes.data(), zeroes.size());
		if (!v.initial.empty() && !fill_variable(index, v, at))
			return false;
	}
	return true;
}

bool loader::fill_variable(uint32_t index, const variable &v, uint64_t at)
{
	const module &m = p_.modules_[index];
	uint64_t end = at + v.bytes();
	lexer words(std::string_view(m.text).substr(0, v.initial.end), v.initial.begin);
	token t = words.next();
	// Braces of inner dimensions must be full here; compilers write flat lists.
	while (t.kind != token_kind::end) {
		if (t.kind == token_kind::punctuation && (t.mark == '{' || t.mark == '}' || t.mark == ',')) {
			t = words.next();
			continue;
		}
		uint64_t word = 0;
		if (!value(index, &words, &t, v.type, &word))
			return false;
		if (at >= end)
			return fail(m, v.initial, "more values than elements");
		p_.memory_.write(at, &word, bytes_of(v.type));
		at += bytes_of(v.type);
	}
	return true;
}

// Reads one element, which is a number or an address: generic(name)+4, name+4, 0xff(name).
bool loader::value(uint32_t index, lexer *words, token *t, type as, uint64_t *out)
{
	const module &m = p_.modules_[index];
	if (t->kind == token_kind::real) {
		auto v = real_value_of(m.str(t->text));
		if (!v)
			return fail(m, t->text, "not a number");
		double d = v->is_double ? std::bit_cast<double>(v->bits) : std::bit_cast<float>(uint32_t(v->bits));
		*out = as == type::f32 ? std::bit_cast<uint32_t>(float(d)) : std::bit_cast<uint64_t>(d);
		*t = words->next();
		return true;
	}
	return sum(index, words, t, out);
}

// Adds the address of a variable or function. Shared memory has none before a kernel is launched.
bool loader::address_of(uint32_t index, span name, bool generic, uint64_t *out)
{
	const module &m = p_.modules_[index];
	uint32_t number = p_.find_symbol(index, m.str(name)), code = p_.find_code(index, m.str(name));
	if (number == no_index && code == no_index)
		return fail(m, name, "no such name");
	if (number == no_index) {
		*out += function_window + 16 * (uint64_t{code} + 1);
		p_.pointed_to_.insert(code);
		return true;
	}
	const auto &s = p_.symbols_[number];
	if (s.space == space::shared)
		return fail(m, name, "an initial value can't be an address of shared memory");
	*out += s.address + (generic && s.space == space::constant ? p_.constant_base_ : 0);
	return true;
}

bool loader::sum(uint32_t index, lexer *words, token *t, uint64_t *out)
{
	const module &m = p_.modules_[index];
	bool minus = false, generic = false;
	uint64_t mask = ~uint64_t{0};
	unsigned shift = 0;
	*out = 0;
	for (;; *t = words->next()) {
		auto word = m.str(t->text);
		if (t->kind == token_kind::end ||
		    (t->kind == token_kind::punctuation && (t->mark == ',' || t->mark == '}')))
			break;
		if (t->kind == token_kind::punctuation && (t->mark == '(' || t->mark == ')' || t->mark == '+'))
			continue;
		if (t->kind == token_kind::punctuation && t->mark == '-') {
			minus = !minus;
		} else if (t->kind == token_kind::integer) {
			auto v = integer_value(word);
			if (!v)
				return fail(m, t->text, "not a number");
			lexer ahead = *words;
			token next = ahead.next();
			if (next.kind == token_kind::punctuation && next.mark == '(') {
				mask = *v;
				shift = mask ? unsigned(std::countr_zero(mask)) : 0;
			} else {
				*out += minus ? -*v : *v;
			}
			minus = false;
		} else if (word == "generic") {
			generic = true;
		} else if (t->kind == token_kind::name) {
			if (!address_of(index, t->text, generic, out))
				return false;
		} else {
			return fail(m, t->text, "an expression that the interpreter does not know");
		}
	}
	*out = (*out & mask) >> shift;
	return true;
}

} // namespace het::ptx::simt
