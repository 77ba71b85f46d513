// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Changes to a module's text. Whatever no edit touches is printed as it was read, byte for byte. Passes that are to
// follow each other parse the text that the one before printed.
#pragma once

#include "ptx/module.h"

#include <map>

namespace het::ptx
{

class editor
{
      public:
	explicit editor(const module &m);

	// Another editor of the module, without changes. It makes no names: they would be those of this one.
	editor beside() const { return editor(m_, prefix_); }

	// Lines of their own before or after a statement, indented like it; a guard of the statement does not hold for
	// them. Several insertions at one place stand in the order of the calls.
	void before(const statement &s, std::string_view lines);
	void after(const statement &s, std::string_view lines);
	// Lines at the begin of a body, after the registers that this editor declares there.
	void at_begin(const function &f, std::string_view lines);
	// Ranges that are replaced must not overlap. An empty @text removes.
	void replace(span where, std::string_view text);

	// Names that nothing in the module has. new_register() declares its register for the whole body.
	std::string new_register(const function &f, type t);
	std::string new_label();
	std::string new_name(std::string_view stem);

	// Appended to the parameters: ".param .u64 NAME". Returns the name. For entries, and for functions all of whose
	// calls the caller changes as well.
	std::string add_parameter(const function &f, type t);
	// A declaration, or a whole function, before the first function of the module and after .address_size.
	void add_to_module(std::string_view text);

	// Branches around the statement unless its guard holds, and takes the guard away: what stands between the
	// edits before() and after() then runs under the guard, too. No effect without a guard.
	void unguard(const statement &s);

	std::string print() const;
	// What before(), after() and replace() have made of a part of the text.
	std::string print_part(span part) const;

      private:
	struct edit {
		uint32_t begin, end;
		std::string text;
		int order = 0; // among those at one place: what unguard() adds stands outside of all others
	};
	editor(const module &m, std::string prefix) : m_(m), prefix_(std::move(prefix)) {}
	std::string printed(std::vector<edit> edits, span part) const;
	std::string indentation(uint32_t at) const;
	uint32_t line_end_after(uint32_t at) const;

	const module &m_;
	std::string prefix_; // of all new names
	unsigned names_ = 0;
	std::vector<edit> edits_;
	std::map<uint32_t, std::map<type, unsigned>> registers_;  // body's begin -> how many of a type
	std::map<uint32_t, std::string> begins_;                  // body's begin -> lines
	std::map<uint32_t, std::vector<std::string>> parameters_; // function's name -> declarations
	std::string module_text_;
};

} // namespace het::ptx
