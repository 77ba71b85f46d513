// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/lexer.h"

namespace het::ptx
{

namespace
{

bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool starts_name(char c)
{
	return is_letter(c) || c == '_' || c == '$' || c == '%';
}

bool continues_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

constexpr std::string_view marks = "{}()[]<>,;:+-*/%&|^~!?=@#.";

} // namespace

// Returns false if a comment has no end; at_ is then where it begins.
bool lexer::skip_blanks()
{
	for (;;) {
		if (is_blank(peek())) {
			at_++;
		} else if (peek() == '/' && peek(1) == '/') {
			size_t end = text_.find('\n', at_);
			at_ = uint32_t(end == text_.npos ? text_.size() : end);
		} else if (peek() == '/' && peek(1) == '*') {
			size_t end = text_.find("*/", at_ + 2);
			if (end == text_.npos)
				return false;
			at_ = uint32_t(end + 2);
		} else {
			return true;
		}
	}
}

token lexer::name()
{
	uint32_t begin = at_++;
	while (continues_name(peek()))
		at_++;
	return {token_kind::name, 0, {begin, at_}};
}

token lexer::directive()
{
	uint32_t begin = at_++;
	for (;;) {
		while (continues_name(peek()))
			at_++;
		if (!(peek() == ':' && peek(1) == ':' && continues_name(peek(2))))
			return {token_kind::directive, 0, {begin, at_}};
		at_ += 2;
	}
}

// Takes what can belong to a number; its value is read elsewhere.
token lexer::number()
{
	uint32_t begin = at_;
	auto kind = token_kind::integer;
	char second = peek(1);
	bool bits = peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D');
	bool hex = peek() == '0' && (second == 'x' || second == 'X');
	while (is_digit(peek()) || is_letter(peek()))
		at_++;
	if (bits)
		kind = token_kind::real;
	if (!bits && !hex && peek() == '.' && is_digit(peek(1))) {
		kind = token_kind::real;
		at_++;
		while (is_digit(peek()) || is_letter(peek()))
			at_++;
	}
	char last = text_[at_ - 1];
	if (kind == token_kind::real && !bits && (last == 'e' || last == 'E') && (peek() == '-' || peek() == '+')) {
		at_++;
		while (is_digit(peek()))
			at_++;
	}
	return {kind, 0, {begin, at_}};
}

token lexer::string()
{
	uint32_t begin = at_++;
	while (at_ < text_.size() && text_[at_] != '"')
		at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
	if (at_ >= text_.size())
		return {token_kind::bad, 0, {begin, at_ = uint32_t(text_.size())}};
	return {token_kind::string, 0, {begin, ++at_}};
}

token lexer::next()
{
	if (!skip_blanks())
		return {token_kind::bad, 0, {at_, at_ + 2}};
	if (at_ >= text_.size())
		return {token_kind::end, 0, {at_, at_}};
	char c = peek();
	// A "%" alone is the remainder in a constant expression.
	if (starts_name(c) && (c != '%' || starts_name(peek(1))))
		return name();
	if (c == '.' && continues_name(peek(1)))
		return directive();
	if (is_digit(c))
		return number();
	if (c == '"')
		return string();
	uint32_t begin = at_++;
	bool known = marks.find(c) != marks.npos;
	return {known ? token_kind::punctuation : token_kind::bad, c, {begin, at_}};
}

} // namespace het::ptx
