// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/parser.h"

#include "ptx/number.h"

#include <limits>

namespace het::ptx
{

namespace
{

std::string quoted(std::string_view what, char mark)
{
	return std::string(what) + " '" + mark + "'";
}

} // namespace

linkage linkage_named(std::string_view s)
{
	return s == ".extern"    ? linkage::external
	       : s == ".visible" ? linkage::visible
	       : s == ".weak"    ? linkage::weak
	       : s == ".common"  ? linkage::common
				 : linkage::none;
}

// --- words -------------------------------------------------------------------

void parser::advance()
{
	last_end_ = now_.text.end;
	now_ = lexer_.next();
}

bool parser::fail_at(span where, std::string what)
{
	if (!fault_)
		fault_ = m_.fault_at(where, std::move(what));
	return false;
}

bool parser::fail(std::string what)
{
	if (is(token_kind::bad))
		what = word() == "/*"     ? "comment without an end"
		       : word()[0] == '"' ? "string without an end"
					  : "unexpected byte";
	return fail_at(now_.text, std::move(what));
}

bool parser::accept(char mark)
{
	if (!is(mark))
		return false;
	advance();
	return true;
}

bool parser::expect(char mark)
{
	return accept(mark) || fail(quoted("expected", mark));
}

bool parser::expect_name(span *out, const char *what)
{
	if (!is(token_kind::name))
		return fail(std::string("expected ") + what);
	*out = now_.text;
	advance();
	return true;
}

bool parser::integer(uint64_t *out)
{
	auto v = is(token_kind::integer) ? integer_value(word()) : std::nullopt;
	if (!v)
		return fail("expected an integer");
	*out = *v;
	advance();
	return true;
}

statement &parser::add(statement::kind_t kind, uint32_t begin, uint32_t index)
{
	return m_.statements.emplace_back(statement{kind, {begin, last_end_}, index, 1, block_});
}

// --- the module --------------------------------------------------------------

std::optional<fault> parser::run()
{
	m_.block_parents.assign(1, 0);
	while (!is(token_kind::end) && top_level())
		;
	return fault_;
}

bool parser::top_level()
{
	if (!is(token_kind::directive))
		return fail("expected a directive");
	return begins_declaration() ? linked() : directive_statement();
}

bool parser::linked()
{
	uint32_t begin = now_.text.begin;
	linkage l = linkage::none;
	while (is(token_kind::directive) && linkage_named(word()) != linkage::none) {
		l = linkage_named(word());
		advance();
	}
	if (is_directive(".entry") || is_directive(".func")) {
		bool entry = word() == ".entry";
		advance();
		return function_head(l, begin, entry);
	}
	uint32_t first = uint32_t(m_.variables.size());
	if (!variables(l, ';'))
		return false;
	add(statement::kind_t::variable, begin, first).count = uint32_t(m_.variables.size()) - first;
	return true;
}

bool parser::directive_statement()
{
	uint32_t begin = now_.text.begin;
	auto what = word();
	bool ok = true;
	if (what == ".section")
		return section();
	if (what == ".version")
		ok = version();
	else if (what == ".target")
		ok = target();
	else if (what == ".address_size")
		ok = address_size();
	else if (what == ".loc" || what == ".file")
		to_end_of_line();
	else
		ok = to_semicolon();
	if (ok)
		add(statement::kind_t::directive, begin, 0);
	return ok;
}

bool parser::version()
{
	advance();
	auto v = is(token_kind::real) ? word() : "";
	size_t dot = v.find('.');
	auto major = integer_value(v.substr(0, dot)), minor = integer_value(dot == v.npos ? "" : v.substr(dot + 1));
	if (!major || !minor)
		return fail("expected a version number");
	m_.version_major = unsigned(*major);
	m_.version_minor = unsigned(*minor);
	advance();
	return true;
}

bool parser::target()
{
	do {
		advance();
		span name;
		if (!expect_name(&name, "the name of a target"))
			return false;
		if (m_.target.empty())
			m_.target = name;
	} while (is(','));
	return true;
}

bool parser::address_size()
{
	advance();
	span where = now_.text;
	uint64_t bits = 0;
	if (!integer(&bits))
		return false;
	if (bits != 32 && bits != 64)
		return fail_at(where, "an address has 32 or 64 bits");
	m_.address_bits = unsigned(bits);
	return true;
}

// DWARF data has a syntax of its own: it is kept, and not looked at.
bool parser::section()
{
	uint32_t begin = now_.text.begin;
	advance();
	if (is(token_kind::name) || is(token_kind::directive))
		advance();
	if (!is('{'))
		return fail("expected '{'");
	if (!balanced())
		return false;
	add(statement::kind_t::section, begin, 0);
	return true;
}

void parser::to_end_of_line()
{
	unsigned line_end = unsigned(m_.text.find('\n', now_.text.begin));
	while (!is(token_kind::end) && now_.text.begin < line_end && !is(token_kind::bad))
		advance();
}

// A directive that the parser has no rule for ends with a semicolon, or with its line if that has none.
bool parser::to_semicolon()
{
	size_t line_end = m_.text.find('\n', now_.text.begin);
	advance();
	bool one_line = m_.text.substr(now_.text.begin, line_end - now_.text.begin).find(';') == std::string::npos;
	while (!is(token_kind::end) && !is('}')) {
		if (is(token_kind::bad))
			return fail("");
		if (accept(';'))
			return true;
		if (one_line && now_.text.begin > line_end && is(token_kind::directive))
			return true;
		if (is('(') || is('{') || is('[')) {
			if (!balanced())
				return false;
		} else {
			advance();
		}
	}
	return one_line || fail("expected ';'");
}

bool parser::balanced()
{
	span opening = now_.text;
	std::string open;
	do {
		if (is('('))
			open += ')';
		else if (is('['))
			open += ']';
		else if (is('{'))
			open += '}';
		else if (is(')') || is(']') || is('}')) {
			if (now_.mark != open.back())
				return fail(quoted("expected", open.back()));
			open.pop_back();
		} else if (is(token_kind::bad)) {
			return fail("");
		} else if (is(token_kind::end)) {
			return fail_at(opening, quoted("this has no", open.back()));
		}
		advance();
	} while (!open.empty());
	return true;
}

// --- statements of a body ------------------------------------------------------

bool parser::body(uint32_t function)
{
	uint32_t begin = now_.text.begin;
	span opening = now_.text;
	advance();
	uint32_t outer = block_;
	block_ = uint32_t(m_.block_parents.size());
	m_.block_parents.push_back(outer);
	function_ = function;
	m_.functions[function].first_statement = uint32_t(m_.statements.size());
	unsigned depth = 1;
	while (depth) {
		if (is(token_kind::end))
			return fail_at(opening, "this body has no '}'");
		if (!body_statement(&depth))
			return false;
	}
	block_ = outer;
	function_ = no_index;
	auto &f = m_.functions[function];
	f.has_body = true;
	f.body = {begin, last_end_};
	f.statements = uint32_t(m_.statements.size()) - f.first_statement;
	return true;
}

bool parser::body_statement(unsigned *depth)
{
	if (is('{') || is('}'))
		return nested_scope(depth);
	if (is(token_kind::directive))
		return body_directive();
	if (is(token_kind::name))
		return named_statement();
	if (is('@'))
		return instruction_statement();
	if (accept(';')) // an empty statement
		return true;
	return fail("expected a statement");
}

bool parser::nested_scope(unsigned *depth)
{
	uint32_t begin = now_.text.begin;
	bool open = is('{');
	advance();
	if (open) {
		add(statement::kind_t::open, begin, 0);
		m_.block_parents.push_back(block_);
		block_ = uint32_t(m_.block_parents.size() - 1);
		(*depth)++;
	} else if (--*depth) {
		block_ = m_.block_parents[block_];
		add(statement::kind_t::close, begin, 0);
	}
	return true;
}

bool parser::body_directive()
{
	if (is_directive(".entry") || is_directive(".func"))
		return fail("a function inside a function");
	if (linkage_named(word()) == linkage::none && space_named(word()) == space::none)
		return directive_statement();
	return linked();
}

// Parses a label, or an instruction without a guard.
bool parser::named_statement()
{
	lexer ahead(m_.text, now_.text.end);
	token after = ahead.next();
	if (after.kind != token_kind::punctuation || after.mark != ':')
		return instruction_statement();
	span name = now_.text;
	advance();
	advance();
	m_.labels.push_back(name);
	add(statement::kind_t::label, name.begin, uint32_t(m_.labels.size() - 1));
	return true;
}

bool parser::guard(instruction *i)
{
	if (!accept('@'))
		return true;
	i->guard_negated = accept('!');
	return expect_name(&i->guard, "a predicate");
}

bool parser::instruction_statement()
{
	uint32_t begin = now_.text.begin;
	instruction i;
	if (!guard(&i) || !expect_name(&i.opcode, "an opcode"))
		return false;
	while (is(token_kind::directive) && adjacent()) {
		i.opcode.end = now_.text.end;
		advance();
	}
	std::vector<operand> operands;
	if (!operands_until(';', &operands))
		return false;
	i.first_operand = uint32_t(m_.operands.size());
	i.operands = uint32_t(operands.size());
	m_.operands.insert(m_.operands.end(), operands.begin(), operands.end());
	m_.instructions.push_back(i);
	add(statement::kind_t::instruction, begin, uint32_t(m_.instructions.size() - 1));
	return true;
}

// --- operands ------------------------------------------------------------------

// Parses operands up to the closing mark, which it takes, too.
bool parser::operands_until(char end, std::vector<operand> *out)
{
	if (accept(end))
		return true;
	constexpr unsigned deepest = 8;
	if (++nesting_ > deepest)
		return fail("operands are nested too deep");
	do {
		if (!operand_of(&out->emplace_back()))
			return false;
	} while (accept(','));
	nesting_--;
	return accept(end) || fail(std::string("expected ',' or '") + end + "'");
}

void parser::adopt(operand *parent, const std::vector<operand> &children)
{
	parent->first_child = uint32_t(m_.operands.size());
	parent->children = uint32_t(children.size());
	m_.operands.insert(m_.operands.end(), children.begin(), children.end());
}

bool parser::operand_of(operand *out)
{
	uint32_t begin = now_.text.begin;
	if (!primary(out))
		return false;
	out->text = {begin, last_end_};
	if (is('|')) {
		std::vector<operand> both{*out, {}};
		advance();
		uint32_t second = now_.text.begin;
		if (!primary(&both[1]))
			return false;
		both[1].text = {second, last_end_};
		*out = {};
		out->kind = operand::kind_t::pair;
		adopt(out, both);
	} else if (!is(',') && !is(';') && !is(')') && !is('}') && !is(']')) {
		// The operand is an expression or a form that is newer than this parser.
		*out = {};
		if (!anything(out))
			return false;
	}
	out->text = {begin, last_end_};
	return true;
}

bool parser::primary(operand *out)
{
	if (is(token_kind::name))
		return named(out);
	if (is('!')) {
		advance();
		out->negated = true;
		return is(token_kind::name) ? named(out) : fail("expected a predicate");
	}
	if (is('['))
		return address(out);
	if (is('{'))
		return bracketed(out, '}', operand::kind_t::list);
	if (is('('))
		return bracketed(out, ')', operand::kind_t::group);
	return number(out);
}

bool parser::named(operand *out)
{
	out->kind = operand::kind_t::name;
	out->name = now_.text;
	advance();
	if (is(token_kind::directive) && adjacent()) {
		out->component = now_.text;
		out->name.end = now_.text.end;
		advance();
	}
	return offset(out);
}

// Parses any number of "+ 4", "+-4" and "- 4". What else may be added is left to anything().
bool parser::offset(operand *out)
{
	while (is('+') || is('-')) {
		lexer ahead = lexer_;
		token next = ahead.next();
		if (next.kind == token_kind::punctuation && next.mark == '-')
			next = ahead.next();
		if (next.kind != token_kind::integer)
			return true;
		bool minus = is('-');
		advance();
		if (accept('-'))
			minus = !minus;
		uint64_t v = 0;
		if (!integer(&v))
			return false;
		out->value = int64_t(uint64_t(out->value) + (minus ? -v : v));
	}
	return true;
}

bool parser::number(operand *out)
{
	bool minus = accept('-');
	if (!minus)
		accept('+');
	if (is(token_kind::integer)) {
		uint64_t v = 0;
		if (!integer(&v))
			return false;
		out->kind = operand::kind_t::integer;
		out->value = int64_t(minus ? -v : v);
		return true;
	}
	if (!is(token_kind::real))
		return fail("expected an operand");
	auto v = real_value_of(word());
	if (!v)
		return fail("not a number");
	advance();
	out->kind = operand::kind_t::real;
	out->is_double = v->is_double;
	out->value = int64_t(v->bits ^ (minus ? uint64_t{1} << (v->is_double ? 63 : 31) : 0));
	return true;
}

bool parser::address(operand *out)
{
	token opening = now_;
	lexer back(m_.text, now_.text.end);
	advance();
	out->kind = operand::kind_t::address;
	bool simple = is(token_kind::name) || is(token_kind::integer) || is('-');
	if (is(token_kind::name)) {
		simple = named(out);
		out->kind = operand::kind_t::address;
	} else if (simple) {
		operand n;
		simple = number(&n);
		out->value = n.value;
		simple = simple && offset(out);
	}
	if (fault_)
		return false;
	if (simple && accept(']'))
		return true;
	// The address is [tensor, {x, y}] or the like.
	*out = {};
	now_ = opening;
	lexer_ = back;
	return balanced();
}

bool parser::bracketed(operand *out, char close, operand::kind_t kind)
{
	advance();
	std::vector<operand> children;
	if (!operands_until(close, &children))
		return false;
	out->kind = kind;
	adopt(out, children);
	return true;
}

bool parser::anything(operand *out)
{
	out->kind = operand::kind_t::other;
	while (!is(',') && !is(';') && !is(')') && !is('}') && !is(']')) {
		if (is(token_kind::end) || is(token_kind::bad) || is(token_kind::name) || is(token_kind::directive) ||
		    is('@'))
			return fail("expected ',' or ';'");
		if (is('(') || is('{') || is('[')) {
			if (!balanced())
				return false;
			continue;
		}
		bool joins = is(token_kind::punctuation);
		advance();
		if (joins && (is(token_kind::name) || is(token_kind::integer) || is(token_kind::real)))
			advance();
	}
	return true;
}

std::optional<fault> parse(std::string text, module &out)
{
	out = {};
	out.text = std::move(text);
	if (out.text.size() >= std::numeric_limits<uint32_t>::max())
		return fault{{}, "", "a text of 4 GiB or more"};
	out.lines.assign(1, 0);
	for (size_t at = out.text.find('\n'); at != std::string::npos; at = out.text.find('\n', at + 1))
		out.lines.push_back(uint32_t(at + 1));
	return parser(out).run();
}

} // namespace het::ptx
