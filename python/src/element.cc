// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "element.h"

#include "errors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

namespace het::python
{

namespace
{

constexpr bool is_little = std::endian::native == std::endian::little;

kind kind_of_code(char code)
{
	if (code && strchr("bhilqn", code))
		return kind::whole;
	if (code && strchr("BHILQN?c", code))
		return kind::natural;
	return code && strchr("efdg", code) ? kind::real : kind::opaque;
}

bool is_foreign_order(char order)
{
	return (order == '>' || order == '!') == is_little && strchr("<>!", order);
}

struct type_name {
	std::string_view name;
	kind is;
	size_t size;
};

// OpenCL's sizes; a bool is no argument of a kernel, but functions of the host may have some.
constexpr std::array type_names = {
	type_name{"char", kind::whole, 1},
	type_name{"uchar", kind::natural, 1},
	type_name{"unsigned char", kind::natural, 1},
	type_name{"short", kind::whole, 2},
	type_name{"ushort", kind::natural, 2},
	type_name{"unsigned short", kind::natural, 2},
	type_name{"int", kind::whole, 4},
	type_name{"uint", kind::natural, 4},
	type_name{"unsigned int", kind::natural, 4},
	type_name{"unsigned", kind::natural, 4},
	type_name{"long", kind::whole, 8},
	type_name{"ulong", kind::natural, 8},
	type_name{"unsigned long", kind::natural, 8},
	type_name{"half", kind::real, 2},
	type_name{"float", kind::real, 4},
	type_name{"double", kind::real, 8},
	type_name{"bool", kind::natural, 1},
	type_name{"size_t", kind::natural, sizeof(size_t)},
	type_name{"ptrdiff_t", kind::whole, sizeof(ptrdiff_t)},
	type_name{"void", kind::anything, 0},
};

const type_name *find_type(std::string_view name)
{
	auto found = std::find_if(type_names.begin(), type_names.end(), [&](auto &t) { return t.name == name; });
	return found == type_names.end() ? nullptr : &*found;
}

// Takes the pointer and the qualifiers off a type as its source spells it.
std::string bare(std::string type)
{
	std::replace(type.begin(), type.end(), '*', ' ');
	std::string kept;
	for (size_t at = 0; at < type.size();) {
		size_t end = std::min(type.find(' ', at), type.size());
		std::string word = type.substr(at, end - at);
		at = end + 1;
		const bool is_qualifier = word.empty() || word == "const" || word == "restrict" || word == "volatile" ||
					  word == "__restrict" || word == "global" || word == "__global" ||
					  word == "constant" || word == "__constant";
		if (!is_qualifier)
			kept += (kept.empty() ? "" : " ") + word;
	}
	return kept;
}

// "float4" are four lanes of float.
void take_type(parameter &p, const std::string &type)
{
	std::string name = bare(type);
	if (const type_name *t = find_type(name)) {
		p.of = {t->is, t->size};
		return;
	}
	size_t digits = name.find_last_not_of("0123456789") + 1;
	unsigned lanes =
		digits < name.size() && name.size() - digits < 3 ? unsigned(std::stoul(name.substr(digits))) : 0;
	const type_name *t = lanes > 1 && lanes <= 16 ? find_type(std::string_view(name).substr(0, digits)) : nullptr;
	if (!t || !t->size)
		return;
	p.of = {t->is, t->size};
	p.lanes = lanes;
}

// A vector of three has room for four.
size_t size_of_vector(const parameter &p)
{
	return p.of.size * (p.lanes == 3 ? 4 : p.lanes);
}

} // namespace

element element_of_format(const char *format, size_t size, bool *is_native)
{
	*is_native = true;
	if (!format)
		return {kind::natural, size};
	if (strchr("@=<>!", *format) && *format) {
		*is_native = !is_foreign_order(*format) || size < 2;
		format++;
	}
	if (format[0] == 'Z')
		return {kind::complex, size};
	return {format[0] && !format[1] ? kind_of_code(format[0]) : kind::opaque, size};
}

element element_of_typestr(const char *typestr, bool *is_native)
{
	*is_native = true;
	if (strlen(typestr) < 3)
		return {};
	const size_t size = strtoul(typestr + 2, nullptr, 10);
	*is_native = !is_foreign_order(typestr[0]) || size < 2;
	switch (typestr[1]) {
	case 'i':
	case 'm':
	case 'M':
		return {kind::whole, size};
	case 'u':
	case 'b':
		return {kind::natural, size};
	case 'f':
		return {kind::real, size};
	case 'c':
		return {kind::complex, size};
	default:
		return {kind::opaque, size};
	}
}

std::string name_of(const element &e)
{
	const std::string bits = std::to_string(8 * e.size);
	switch (e.is) {
	case kind::whole:
		return "int" + bits;
	case kind::natural:
		return "uint" + bits;
	case kind::real:
		return "float" + bits;
	case kind::complex:
		return "complex" + bits;
	default:
		return "items of " + std::to_string(e.size) + " bytes";
	}
}

bool parameter::suits(const element &e) const
{
	if (!is_described || of.is == kind::anything || e == of)
		return true;
	if (of.is == kind::opaque)
		return !nbytes || e.size == nbytes || e.size == 1;
	const bool is_byte = of.size == 1 && e.size == 1;
	const bool is_pair = lanes == 2 && e.is == kind::complex && of.is == kind::real && e.size == 2 * of.size;
	const bool is_vector = lanes > 1 && e.is == kind::opaque && e.size == size_of_vector(*this);
	return is_byte || is_pair || is_vector;
}

std::string parameter::misfit(const element &e) const
{
	const std::string given = "the array has elements of " + name_of(e) + ", and " + type;
	if (of.is == kind::opaque)
		return given + " points to " + std::to_string(nbytes) + " bytes each";
	return given + " wants " + name_of(of) + ": convert it once, as with astype(numpy." + name_of(of) + ")";
}

parameter parameter_of(const het_argument_info &told)
{
	parameter p;
	p.is_described = true;
	p.space = told.space;
	p.access = told.access;
	p.found = told.found;
	p.nbytes = told.nbytes;
	p.name = told.name ? told.name : "";
	p.type = told.type ? told.type : "";
	take_type(p, p.type);
	// What a name promises must be what the library knows of the size.
	if (p.nbytes && p.of.size && size_of_vector(p) != p.nbytes) {
		p.of = {kind::opaque, p.nbytes};
		p.lanes = 1;
	}
	return p;
}

std::vector<parameter> parameters_of(het_kernel *kernel, uint32_t count)
{
	std::vector<parameter> all(count);
	for (uint32_t i = 0; i < count; i++) {
		het_argument_info told = {};
		told.size = sizeof(told);
		const int err = het_kernel_argument(kernel, i, &told);
		if (err == HET_ESTATE)
			continue;
		check(err);
		all[i] = parameter_of(told);
	}
	return all;
}

} // namespace het::python
