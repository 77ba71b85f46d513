// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/editor.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace het::ptx
{

namespace
{

std::string indented(std::string_view lines, const std::string &indent)
{
	std::string out;
	for (char c : lines) {
		out += c;
		if (c == '\n')
			out += indent;
	}
	return out;
}

} // namespace

editor::editor(const module &m) : m_(m), prefix_("het")
{
	// Registers have a leading %, and the prefix must be new with it and without it.
	for (unsigned n = 1; m.text.find(prefix_ + "_") != std::string::npos; n++)
		prefix_ = "het" + std::to_string(n);
}

std::string editor::indentation(uint32_t at) const
{
	size_t line = m_.text.rfind('\n', at ? at - 1 : 0);
	size_t begin = line == std::string::npos ? 0 : line + 1;
	size_t end = std::min<size_t>(m_.text.find_first_not_of(" \t", begin), at);
	return m_.text.substr(begin, end - begin);
}

// Returns the end of the line if only blanks and a comment stand between, else @at.
uint32_t editor::line_end_after(uint32_t at) const
{
	size_t end = std::min(m_.text.find('\n', at), m_.text.size());
	size_t next = std::min(m_.text.find_first_not_of(" \t\r", at), end);
	bool comment = m_.text.compare(next, 2, "//") == 0;
	return uint32_t(comment ? end : at);
}

void editor::before(const statement &s, std::string_view lines)
{
	auto indent = indentation(s.text.begin);
	edits_.push_back({s.text.begin, s.text.begin, indented(lines, indent) + "\n" + indent});
}

void editor::after(const statement &s, std::string_view lines)
{
	uint32_t at = line_end_after(s.text.end);
	auto indent = indentation(s.text.begin);
	edits_.push_back({at, at, "\n" + indent + indented(lines, indent)});
}

void editor::at_begin(const function &f, std::string_view lines)
{
	begins_[f.body.begin] += "\n\t" + indented(lines, "\t");
}

void editor::replace(span where, std::string_view text)
{
	edits_.push_back({where.begin, where.end, std::string(text)});
}

std::string editor::new_register(const function &f, type t)
{
	unsigned n = registers_[f.body.begin][t]++;
	return "%" + prefix_ + "_" + std::string(name_of(t)) + "_" + std::to_string(n);
}

std::string editor::new_label()
{
	return "$" + prefix_ + "_L" + std::to_string(names_++);
}

std::string editor::new_name(std::string_view stem)
{
	return prefix_ + "_" + std::string(stem) + "_" + std::to_string(names_++);
}

std::string editor::add_parameter(const function &f, type t)
{
	auto name = new_name("parameter");
	parameters_[f.name.end].push_back(".param ." + std::string(name_of(t)) + " " + name);
	return name;
}

void editor::add_to_module(std::string_view text)
{
	module_text_ += std::string(text) + "\n";
}

void editor::unguard(const statement &s)
{
	const auto &i = m_.instructions[s.index];
	if (s.kind != statement::kind_t::instruction || i.guard.empty())
		return;
	auto label = new_label();
	before(s, "@" + std::string(i.guard_negated ? "" : "!") + std::string(m_.str(i.guard)) + " bra " + label + ";");
	edits_.back().order = -1;
	after(s, label + ":");
	edits_.back().order = 1;
	replace({s.text.begin, i.opcode.begin}, "");
}

std::string editor::print() const
{
	auto all = edits_;
	for (const auto &[at, types] : registers_) {
		std::string text;
		for (const auto &[t, count] : types)
			text += "\n\t.reg ." + std::string(name_of(t)) + " %" + prefix_ + "_" +
				std::string(name_of(t)) + "_<" + std::to_string(count) + ">;";
		all.push_back({at + 1, at + 1, text});
	}
	for (const auto &[at, lines] : begins_)
		all.push_back({at + 1, at + 1, lines});
	for (const auto &f : m_.functions) {
		auto found = parameters_.find(f.name.end);
		if (found == parameters_.end())
			continue;
		std::string list;
		for (const auto &p : found->second)
			list += (list.empty() && f.parameters == 0 ? "" : ", ") + p;
		uint32_t close = f.parameter_list.end - 1;
		if (f.parameter_list.empty())
			all.push_back({f.name.end, f.name.end, "(" + list + ")"});
		else
			all.push_back({close, close, list});
	}
	if (!module_text_.empty()) {
		uint32_t at = m_.functions.empty() ? uint32_t(m_.text.size())
						   : m_.statements[m_.functions[0].statement].text.begin;
		all.push_back({at, at, module_text_});
	}
	return printed(std::move(all), {0, uint32_t(m_.text.size())});
}

std::string editor::print_part(span part) const
{
	std::vector<edit> inside;
	std::copy_if(edits_.begin(), edits_.end(), std::back_inserter(inside),
		     [&](const edit &e) { return e.begin >= part.begin && e.end <= part.end; });
	return printed(std::move(inside), part);
}

std::string editor::printed(std::vector<edit> edits, span part) const
{
	// Text that is inserted where a replaced range begins stands before it.
	std::stable_sort(edits.begin(), edits.end(), [](const edit &a, const edit &b) {
		return std::tuple(a.begin, a.end > a.begin, a.order) < std::tuple(b.begin, b.end > b.begin, b.order);
	});
	std::string out;
	uint32_t at = part.begin;
	for (const auto &e : edits) {
		out.append(m_.text, at, e.begin - at);
		out += e.text;
		at = std::max(at, e.end);
	}
	return out.append(m_.text, at, part.end - at);
}

} // namespace het::ptx
