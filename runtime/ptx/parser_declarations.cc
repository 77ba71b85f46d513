// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Parses variables and the heads of functions.
#include "ptx/number.h"
#include "ptx/parser.h"

#include <bit>

namespace het::ptx
{

// Parses one statement, such as ".reg .b32 %a, %b;". Parameters have one name each and end with ',' or ')'.
bool parser::variables(linkage l, char end)
{
	variable v;
	v.linkage = l;
	v.function = function_;
	v.block = block_;
	if (!declaration_head(&v))
		return false;
	do {
		variable one = v;
		if (!declarator(&one))
			return false;
		m_.variables.push_back(one);
	} while (end == ';' && accept(','));
	return end != ';' || expect(';');
}

bool parser::declaration_head(variable *v)
{
	v->space = is(token_kind::directive) ? space_named(word()) : space::none;
	if (v->space == space::none)
		return fail("expected a state space");
	advance();
	if (v->space == space::constant && is('[') && !balanced()) // takes .const[2], as there was before PTX 2.2
		return false;
	while (is(token_kind::directive))
		if (!qualifier(v))
			return false;
	return v->type != type::none || fail("expected a type");
}

bool parser::qualifier(variable *v)
{
	auto what = word();
	span where = now_.text;
	if (what == ".ptr")
		return pointer(v);
	advance();
	if (what == ".align") {
		uint64_t n = 0;
		span at = now_.text;
		if (!integer(&n))
			return false;
		if (!std::has_single_bit(n) || n > (1u << 30))
			return fail_at(at, "an alignment is a power of two");
		v->align = uint32_t(n);
	} else if (what == ".v2" || what == ".v4" || what == ".v8") {
		v->vector = uint8_t(what[2] - '0');
	} else if (what == ".attribute") {
		return is('(') ? balanced() : fail("expected '('");
	} else if (type t = type_named(what); t != type::none) {
		v->type = t;
	} else if (what != ".managed" && what != ".unified") {
		return fail_at(where, "not a type");
	}
	return true;
}

// In ".ptr .global .align 4" the alignment is that of what the parameter points to.
bool parser::pointer(variable *v)
{
	advance();
	if (is(token_kind::directive) && space_named(word()) != space::none) {
		v->pointer_space = now_.text;
		advance();
	}
	if (!is_directive(".align"))
		return true;
	advance();
	uint64_t alignment = 0;
	bool is_number = integer(&alignment);
	v->pointer_align = uint32_t(alignment);
	return is_number;
}

bool parser::declarator(variable *v)
{
	if (!expect_name(&v->name, "a name"))
		return false;
	if (accept('<')) {
		uint64_t n = 0;
		span at = now_.text;
		if (!integer(&n) || !expect('>'))
			return false;
		constexpr uint64_t most = 1u << 24;
		if (n == 0 || n > most)
			return fail_at(at, "this many registers");
		v->numbered = uint32_t(n);
	}
	return dimensions(v) && initial_value(v);
}

bool parser::dimensions(variable *v)
{
	constexpr uint64_t most = uint64_t{1} << 40;
	while (is('[')) {
		advance();
		v->is_array = true;
		uint64_t n = 0;
		if (!is(']')) {
			span at = now_.text;
			if (!integer(&n))
				return false;
			if (n > most || (n && v->elements > most / n))
				return fail_at(at, "an array of this size");
		}
		v->elements *= n;
		if (!expect(']'))
			return false;
	}
	return true;
}

bool parser::initial_value(variable *v)
{
	if (!accept('='))
		return true;
	uint32_t begin = now_.text.begin;
	while (!is(',') && !is(';')) {
		if (is(token_kind::end) || is(token_kind::bad))
			return fail("expected ';'");
		if (is('{') || is('(')) {
			if (!balanced())
				return false;
		} else {
			advance();
		}
	}
	v->initial = {begin, last_end_};
	if (v->initial.end <= v->initial.begin)
		return fail("expected a value");
	// An array "int a[] = {...}" takes its size from the values.
	if (v->elements == 0) {
		lexer words(m_.text, begin);
		v->elements = 1;
		for (token t = words.next(); t.text.begin < last_end_ && t.kind != token_kind::end; t = words.next())
			v->elements += t.kind == token_kind::punctuation && t.mark == ',';
	}
	return true;
}

bool parser::parameters(uint32_t *first, uint32_t *count)
{
	*first = uint32_t(m_.variables.size());
	if (!expect('('))
		return false;
	if (!is(')')) {
		do {
			if (!variables(linkage::none, ')'))
				return false;
		} while (accept(','));
	}
	*count = uint32_t(m_.variables.size()) - *first;
	return accept(')') || fail("expected ',' or ')'");
}

// Tells whether another declaration begins, outside of all functions.
bool parser::begins_declaration() const
{
	bool starts = is_directive(".entry") || is_directive(".func") ||
		      (is(token_kind::directive) &&
		       (linkage_named(word()) != linkage::none || space_named(word()) != space::none));
	return starts || is(token_kind::end);
}

bool parser::function_head(linkage l, uint32_t begin, bool entry)
{
	uint32_t index = uint32_t(m_.functions.size());
	function f;
	f.is_entry = entry;
	f.linkage = l;
	function_ = index;
	if (is('(') && !parameters(&f.first_result, &f.results))
		return false;
	if (!expect_name(&f.name, "the name of a function"))
		return false;
	f.first_parameter = uint32_t(m_.variables.size());
	f.parameter_list = {last_end_, last_end_};
	if (is('(')) {
		f.parameter_list.begin = now_.text.begin;
		if (!parameters(&f.first_parameter, &f.parameters))
			return false;
		f.parameter_list.end = last_end_;
	}
	function_ = no_index;
	f.directives = {last_end_, last_end_};
	bool declared_only = false;
	while (!is('{') && !is(';') && !declared_only) {
		if (is_directive(".pragma")) { // it has a semicolon of its own
			do
				advance();
			while (is(token_kind::string) || is(','));
			if (!expect(';'))
				return false;
			f.directives.end = last_end_;
			declared_only = begins_declaration();
			continue;
		}
		bool known = is(token_kind::directive) || is(token_kind::integer) || is(token_kind::string) ||
			     is(token_kind::name) || is(',');
		if (!known)
			return fail("expected '{' or ';'");
		advance();
		f.directives.end = last_end_;
	}
	f.statement = uint32_t(m_.statements.size());
	declared_only = declared_only || accept(';');
	m_.functions.push_back(f);
	add(statement::kind_t::function, begin, index);
	return declared_only || body(index);
}

} // namespace het::ptx
