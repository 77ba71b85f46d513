// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A module is a PTX text and what stands where in it. Statements lie in the order of the text and name their place in
// it, so that printing what was not changed gives back every byte. Names and expressions are spans: module::str() shows
// them.
#pragma once

#include "ptx/isa.h"
#include "ptx/text.h"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace het::ptx
{

constexpr uint32_t no_index = std::numeric_limits<uint32_t>::max();

struct operand {
	enum class kind_t : uint8_t {
		name,    // like %r1, %tid.x, %simtstack + 136, _, a label, a variable
		integer, // its number is in value
		real,    // its bits are in value: those of a double for 1.5 and 0d..., of a float for 0f...
		address, // [name + value] or [value]
		list,    // {a, b}, with children
		group,   // (a, b), the lists of a call, with children
		pair,    // a|b, with children
		other,   // what this version does not know; it is passed through
	};
	kind_t kind = kind_t::other;
	bool negated = false;   // true for !%p
	bool is_double = false; // tells of a real that the bits are a double's
	span text;
	span name;      // includes its component: %v.x
	span component; // .x, or empty if there is none
	int64_t value = 0;
	uint32_t first_child = 0, children = 0; // count in module::operands
};

struct instruction {
	span guard; // the predicate of @%p, or empty if there is none
	bool guard_negated = false;
	span opcode;
	uint32_t first_operand = 0, operands = 0; // count in module::operands
};

enum class linkage : uint8_t { none, external, visible, weak, common };

struct variable {
	enum space space = space::none;
	enum linkage linkage = linkage::none;
	enum type type = type::none;
	uint8_t vector = 1;         // 2 or 4 for .v2 and .v4
	uint32_t align = 0;         // 0 for that of the type
	span name;                  // does not include <N>
	uint32_t numbered = 0;      // N of %r<N>, which declares %r0 to %r(N-1); 0 means a plain name
	bool is_array = false;      // true for name[]...
	uint64_t elements = 1;      // the product of the dimensions, or 0 for []
	span initial;               // what stands after "=", or empty if there is none
	span pointer_space;         // .global of a parameter's .ptr .global
	uint32_t pointer_align = 0; // that of what it points to
	uint32_t function = no_index;
	uint32_t block = 0; // the innermost { } that it is declared in, or 0 for the module
	uint64_t bytes() const { return uint64_t{bytes_of(type)} * vector * elements; }
	uint32_t alignment() const { return align ? align : bytes_of(type) * vector; }
};

struct function {
	bool is_entry = false;
	enum linkage linkage = linkage::none;
	span name;
	uint32_t first_result = 0, results = 0;       // count in module::variables
	uint32_t first_parameter = 0, parameters = 0; // count there, too
	span parameter_list;                          // includes its parentheses; it is empty if there is none
	span directives;                              // .maxntid and the like, between parameters and body
	bool has_body = false;
	span body;                                    // includes its braces
	uint32_t statement = 0;                       // that of the head
	uint32_t first_statement = 0, statements = 0; // the body's, without its own braces
};

struct statement {
	enum class kind_t : uint8_t {
		instruction, // its index in module::instructions
		label,       // its index in module::labels
		variable,    // the index of the first in module::variables, and the count of them
		function,    // its index in module::functions; the text ends before the body or with the ;
		open,        // the { of a nested scope
		close,       // its }
		directive,   // .loc, .version, .pragma, .callprototype, ...
		section,     // .section with its contents
	};
	kind_t kind;
	span text;
	uint32_t index = 0, count = 1;
	uint32_t block = 0; // the innermost { } that it stands in, or 0 for the module
};

struct module {
	std::string text;
	std::vector<statement> statements;
	std::vector<instruction> instructions;
	std::vector<operand> operands;
	std::vector<variable> variables;
	std::vector<function> functions;
	std::vector<span> labels;
	std::vector<uint32_t> block_parents; // for each block the block around it; [0] is the module

	unsigned version_major = 0, version_minor = 0;
	span target; // "sm_75", or empty if the text names none
	unsigned address_bits = 64;
	std::vector<uint32_t> lines{0}; // where each line begins

	std::string_view str(span s) const { return std::string_view(text).substr(s.begin, s.size()); }
	std::string_view str(const operand &o) const { return str(o.text); }
	// Returns the statements of the body.
	std::span<const statement> statements_of(const function &f) const
	{
		return std::span(statements).subspan(f.first_statement, f.statements);
	}
	const operand &operand_of(const instruction &i, uint32_t n) const { return operands[i.first_operand + n]; }
	const operand &child_of(const operand &o, uint32_t n) const { return operands[o.first_child + n]; }
	position position_of(uint32_t offset) const;
	fault fault_at(span where, std::string what) const;
	// Returns a directive of a function's head without its values, or an empty span if there is none.
	span find_directive(const function &f, std::string_view name) const;
	// Returns the function with that name, one with a body before one without, or null if there is none.
	const function *find_function(std::string_view name) const;
};

// Reads a text. After a fault @out holds what stood before it.
[[nodiscard]] std::optional<fault> parse(std::string text, module &out);

// GCC puts several texts into one image, with a zero byte after each.
std::vector<std::string> split_image(std::string_view image);

} // namespace het::ptx
