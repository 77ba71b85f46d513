// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads and writes numbers of OpenCL C's types, as text and as bytes. All functions throw std::runtime_error with a
// sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace tool::run
{

// An array has many elements: scalars, vectors, or something of which only the size is known.
struct element {
	using number = std::variant<std::monostate, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
				    uint64_t, float, double>;

	std::string name;
	number zero; // the type of its numbers; none means that nothing is known of it but bytes
	size_t number_size = 1;
	size_t numbers = 1; // counts the components of a vector
	size_t size = 1;    // in bytes; a vector of three has room for four

	bool has_numbers() const { return zero.index() != 0; }
};

// Takes a type's name, with or without a "*", as compilers describe arguments. @size is taken if nothing is known of
// the name; 0 means bytes.
element element_of(const std::string &type, size_t size);

// Stores one number; any integer is taken in its range, and real numbers as strtod() reads them.
void store_number(const element &e, const std::string &text, std::byte *to);
// Stores it as the type's numbers go: modulo the largest, or rounded.
void store_count(const element &e, uint64_t count, std::byte *to);
// Stores a number made of so many random bits: a whole number is some of them, a real one lies from 0 to 1.
void store_bits(const element &e, uint64_t bits, std::byte *to);
// Numbers of a vector stand with colons between; what has none is shown as hexadecimal bytes.
std::string text_of(const element &e, const std::byte *from);

} // namespace tool::run
