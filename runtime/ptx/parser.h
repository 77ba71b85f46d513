// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The parser makes one pass over the words. Each function parses what it is named after, and returns false after the
// first fault.
#pragma once

#include "ptx/lexer.h"
#include "ptx/module.h"

namespace het::ptx
{

// Takes ".visible" and the like, and returns none for others.
linkage linkage_named(std::string_view s);

class parser
{
      public:
	explicit parser(module &m) : m_(m), lexer_(m.text) { advance(); }

	std::optional<fault> run();

      private:
	// These read words.
	void advance();
	bool is(char mark) const { return now_.kind == token_kind::punctuation && now_.mark == mark; }
	bool is(token_kind k) const { return now_.kind == k; }
	bool is_directive(std::string_view text) const { return is(token_kind::directive) && word() == text; }
	std::string_view word() const { return m_.str(now_.text); }
	bool accept(char mark);
	bool expect(char mark);
	bool expect_name(span *out, const char *what);
	bool adjacent() const { return now_.text.begin == last_end_; }
	bool fail(std::string what);
	bool fail_at(span where, std::string what);

	// These parse the module.
	bool top_level();
	bool linked();
	bool directive_statement();
	bool version(), target(), address_size(), section();
	void to_end_of_line();
	bool to_semicolon();
	bool balanced(); // goes from an opening bracket to its closing one

	// These parse declarations.
	bool variables(linkage l, char end);
	bool declaration_head(variable *v);
	bool qualifier(variable *v);
	bool pointer(variable *v);
	bool declarator(variable *v);
	bool dimensions(variable *v);
	bool initial_value(variable *v);
	bool begins_declaration() const;
	bool function_head(linkage l, uint32_t begin, bool entry);
	bool parameters(uint32_t *first, uint32_t *count);

	// These parse bodies.
	bool body(uint32_t function);
	bool body_statement(unsigned *depth);
	bool nested_scope(unsigned *depth);
	bool body_directive();
	bool named_statement();
	bool instruction_statement();
	bool guard(instruction *i);
	bool operands_until(char end, std::vector<operand> *out);
	bool operand_of(operand *out);
	bool primary(operand *out);
	bool named(operand *out);
	bool offset(operand *out);
	bool number(operand *out);
	bool address(operand *out);
	bool bracketed(operand *out, char close, operand::kind_t kind);
	bool anything(operand *out);
	void adopt(operand *parent, const std::vector<operand> &children);
	bool integer(uint64_t *out);

	statement &add(statement::kind_t kind, uint32_t begin, uint32_t index);

	module &m_;
	lexer lexer_;
	token now_;
	uint32_t last_end_ = 0; // that of the word before
	uint32_t function_ = no_index, block_ = 0;
	unsigned nesting_ = 0; // that of operands
	std::optional<fault> fault_;
};

} // namespace het::ptx
