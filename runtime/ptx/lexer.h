// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The lexer reads the words of PTX.
#pragma once

#include "ptx/text.h"

namespace het::ptx
{

enum class token_kind : uint8_t {
	end,
	name,      // like add, %r1, $L__BB0_1
	directive, // like .reg, .f32, .shared::cta, .v4
	integer,   // like 12, 0x1F, 0b11, 017, 5U; -4 is two tokens
	real,      // like 0f3F800000, 0d3FF0000000000000, 1.5
	string,    // with its quotes
	punctuation,
	bad, // an unclosed comment or string, or a byte that PTX does not know
};

struct token {
	token_kind kind = token_kind::end;
	char mark = 0; // the character of punctuation; << and >> are two tokens
	span text;
};

class lexer
{
      public:
	explicit lexer(std::string_view text, uint32_t at = 0) : text_(text), at_(at) {}

	token next();

      private:
	bool skip_blanks();
	char peek(uint32_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
	token name(), directive(), number(), string();

	std::string_view text_;
	uint32_t at_;
};

} // namespace het::ptx
