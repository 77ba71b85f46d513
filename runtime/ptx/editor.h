// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// An editor holds changes to a module's text. Whatever no edit touches is printed as it was read, byte for byte. Passes
// that are to follow each other parse the text that the one before printed.
#pragma once

#include "ptx/module.h"

#include <map>

namespace het::ptx
{

class editor
{
      public:
	explicit editor(const module &m);

	// Returns another editor of the module, without changes. It makes no names: they would be those of this one.
	editor beside() const { return editor(m_, prefix_); }

	// Inserts lines of their own before or after a statement, indented like it; a guard of the statement does not
	// hold for them. Several insertions at one place stand in the order of the calls.
	void before(const statement &s, std::string_view lines);
	void after(const statement &s, std::string_view lines);
	// Inserts lines at the beginning of a body, after the registers that this editor declares there.
	void at_begin(const function &f, std::string_view lines);
	// Ranges that are replaced must not overlap. An empty @text removes.
	void replace(span where, std::string_view text);

	// These return names that nothing in the module has. new_register() declares its register for the whole body.
	std::string new_register(const function &f, type t);
	std::string new_label();
	std::string new_name(std::string_view stem);

	// Appends a parameter, ".param .u64 NAME", and returns the name. This is for entries, and for functions all of
	// whose calls the caller changes as well.
	std::string add_parameter(const function &f, type t);
	// Adds a declaration, or a whole function, before the first function of the module and after .address_size.
	void add_to_module(std::string_view text);

	// Branches around the statement unless its guard holds, and takes the guard away: what stands between the edits
	// before() and after() then runs under the guard, too. Without a guard it does nothing.
	void unguard(const statement &s);

	std::string print() const;
	// Prints what before(), after() and replace() have made of a part of the text.
	std::string print_part(span part) const;

      private:
	struct edit {
		uint32_t begin, end;
		std::string text;
		int order = 0; // It orders edits at one place: what unguard() adds stands outside of all others.
	};
	editor(const module &m, std::string prefix) : m_(m), prefix_(std::move(prefix)) {}
	std::string printed(std::vector<edit> edits, span part) const;
	std::string indentation(uint32_t at) const;
	uint32_t line_end_after(uint32_t at) const;

	const module &m_;
	std::string prefix_; // All new names begin so.
	unsigned names_ = 0;
	std::vector<edit> edits_;
	// The key is where the body begins; the value tells how many registers there are of a type.
	std::map<uint32_t, std::map<type, unsigned>> registers_;
	// The key is where the body begins; the value is the lines.
	std::map<uint32_t, std::string> begins_;
	// The key is where the function's name begins; the value is the declarations.
	std::map<uint32_t, std::vector<std::string>> parameters_;
	std::string module_text_;
};

} // namespace het::ptx
