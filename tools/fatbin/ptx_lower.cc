// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/ptx_lower.h"

#include "fatbin/ptx_builtins.h"
#include "ptx/editor.h"
#include "ptx/parser.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tool::fat
{

namespace
{

using namespace het::ptx;

// struct het_image promises this alignment.
constexpr uint32_t local_alignment = 16;
constexpr char local_memory[] = "het_local";

// Returns the name in the source, without what overloading adds.
std::string_view plain_name(std::string_view name)
{
	size_t length = 0;
	if (!name.starts_with("_Z"))
		return name == "vprintf" ? "printf" : name;
	auto [end, error] = std::from_chars(name.data() + 2, name.data() + name.size(), length);
	return error == std::errc() ? name.substr(size_t(end - name.data()), length) : name;
}

// Returns "f() in line 7" and the like.
std::string where_used(std::string_view name, const std::string &source)
{
	auto is_name = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; };
	std::string text(name);
	text += "()";
	for (size_t at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
		size_t end = at + name.size();
		bool is_whole = (!at || !is_name(source[at - 1])) && (end == source.size() || !is_name(source[end]));
		if (is_whole)
			return text + " in line " +
			       std::to_string(1 + std::count(source.begin(), source.begin() + ptrdiff_t(at), '\n'));
	}
	return text;
}

void refuse_missing_functions(const module &m, const std::string &source)
{
	for (const function &f : m.functions)
		if (!f.has_body && !m.find_function(m.str(f.name))->has_body)
			throw std::runtime_error("PTX has no " + where_used(plain_name(m.str(f.name)), source));
}

void make_visible(const module &m, const function &f, editor &e)
{
	constexpr std::string_view word = ".entry";
	const statement &head = m.statements[f.statement];
	size_t at = m.str(head.text).find(word);
	if (f.linkage == linkage::none && at != std::string_view::npos) {
		auto begin = head.text.begin + uint32_t(at);
		e.replace({begin, begin + uint32_t(word.size())}, ".visible .entry");
	}
}

// Where a parameter is loaded, the base is added.
void lower_local(const module &m, const function &f, const variable &parameter, editor &e)
{
	if (parameter.pointer_align > local_alignment)
		throw std::runtime_error("kernel " + std::string(m.str(f.name)) +
					 " has an argument of local memory that is aligned to " +
					 std::to_string(parameter.pointer_align) + " bytes; launches align to 16");
	// The parameter is a number now. Drivers refuse parameters that are said to point to shared memory, which ptxas
	// takes.
	auto attribute = uint32_t(m.text.rfind(".ptr", parameter.pointer_space.begin));
	e.replace({attribute, parameter.name.begin}, "");
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		const instruction &i = m.instructions[s.index];
		if (!m.str(i.opcode).starts_with("ld.param") || m.str(m.operand_of(i, 1).name) != m.str(parameter.name))
			continue;
		std::string to(m.str(m.operand_of(i, 0))), base = e.new_register(f, type::b64);
		std::string lines = "mov.u64 " + base;
		lines.append(", ").append(local_memory).append(";\nadd.s64 ").append(to).append(", ").append(to);
		e.after(s, lines.append(", ").append(base).append(";"));
	}
}

bool lower_locals(const module &m, const function &f, editor &e)
{
	bool has_any = false;
	for (uint32_t n = 0; n < f.parameters; n++) {
		const variable &parameter = m.variables[f.first_parameter + n];
		if (m.str(parameter.pointer_space) != ".shared")
			continue;
		lower_local(m, f, parameter, e);
		has_any = true;
	}
	return has_any;
}

// The variable is defined here, with zeros.
void place_launch_variable(const module &m, editor &e)
{
	constexpr std::string_view word = ".extern";
	for (const statement &s : m.statements) {
		size_t at = m.str(s.text).find(word);
		if (s.kind == statement::kind_t::variable && m.str(m.variables[s.index].name) == launch_variable &&
		    at != std::string_view::npos) {
			auto begin = s.text.begin + uint32_t(at);
			e.replace({begin, begin + uint32_t(word.size())}, ".visible");
		}
	}
}

} // namespace

std::string lower_ptx(const std::string &text, const std::string &source)
{
	module m;
	if (auto wrong = parse(text, m))
		throw std::runtime_error("clang's PTX is not understood: " + wrong->describe());
	refuse_missing_functions(m, source);
	editor e(m);
	bool has_local = false;
	for (const function &f : m.functions) {
		if (!f.is_entry)
			continue;
		make_visible(m, f, e);
		has_local |= lower_locals(m, f, e);
	}
	if (has_local)
		e.add_to_module(".extern .shared .align " + std::to_string(local_alignment) + " .b8 " + local_memory +
				"[];");
	place_launch_variable(m, e);
	return e.print();
}

} // namespace tool::fat
