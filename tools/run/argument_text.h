// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads what the command line says of one argument: [NAME=]WHAT[,OPTION=VALUE...].
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tool::run
{

// Bytes come from one of these.
enum class origin { text, file, zeros, index, random, value };

struct argument_text {
	std::string name; // "" for the next one that was not named
	origin from = origin::text;
	std::string detail; // the text, the file's name, or what stands behind the colon
	std::optional<uint64_t> elements;
	std::string type;    // "" for what is declared
	uint32_t access = 0; // one of HET_READ_ONLY..., or 0 for what is declared
	std::string out;
	uint64_t show = 4; // counts elements

	// A work-item uses these, in elements; there is a pattern if one of them was given.
	std::optional<int64_t> offset;
	std::optional<uint64_t> step, length, count, stride;
	bool has_pattern() const { return offset || step || length || count || stride; }
};

// Throws std::runtime_error with a sentence.
argument_text parse_argument(const std::string &text);

// --help shows this syntax.
extern const char argument_help[];

} // namespace tool::run
