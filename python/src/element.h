// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what the elements of an array are, and what a kernel's argument wants them to be.
#pragma once

#include <cstddef>
#include <het.h>
#include <string>
#include <vector>

namespace het::python
{

enum class kind : char {
	whole = 'i',    // a signed whole number
	natural = 'u',  // an unsigned one, or a truth value
	real = 'f',     // a floating-point number
	complex = 'c',  // two of them
	opaque = 'V',   // a structure, or something that has no name here
	anything = 'v', // void
};

struct element {
	kind is = kind::opaque;
	size_t size = 0; // in bytes; 0 if it is not known

	bool operator==(const element &) const = default;
};

// Reads a format of the buffer protocol ("<f", "T{...}") for items of a size; null stands for bytes.
element element_of_format(const char *format, size_t size, bool *is_native);
// Reads a type string of numpy's array interface ("<f4").
element element_of_typestr(const char *typestr, bool *is_native);

// Returns "float32", "uint8", "items of 12 bytes"...
std::string name_of(const element &e);

// This is one argument of a kernel, as far as it is described.
struct parameter {
	bool is_described = false;
	uint32_t space = 0, access = 0, found = 0;
	size_t nbytes = 0; // of the value, or of what the pointer points to
	std::string name, type;
	element of;         // of the value's or array's numbers
	unsigned lanes = 1; // of a vector

	bool is_pointer() const { return space == HET_SPACE_GLOBAL || space == HET_SPACE_CONSTANT; }
	bool suits(const element &e) const;
	// Tells why such an array does not suit.
	std::string misfit(const element &e) const;
};

// Makes one of what the library tells.
parameter parameter_of(const het_argument_info &told);
std::vector<parameter> parameters_of(het_kernel *kernel, uint32_t count);

} // namespace het::python
