// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/element.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace tool::run
{

namespace
{

struct scalar {
	const char *name;
	element::number zero;
	size_t size;
};

template <class T> scalar make(const char *name)
{
	return {name, T(), sizeof(T)};
}

const scalar scalars[] = {make<int8_t>("char"),     make<uint8_t>("uchar"),  make<int16_t>("short"),
			  make<uint16_t>("ushort"), make<int32_t>("int"),    make<uint32_t>("uint"),
			  make<int64_t>("long"),    make<uint64_t>("ulong"), make<float>("float"),
			  make<double>("double")};

// Calls @f with a value of the type that the element's numbers have.
template <class F> void as_number(const element &e, F f)
{
	auto call = [&](auto zero) {
		if constexpr (std::is_same_v<decltype(zero), std::monostate>)
			throw std::runtime_error(e.name +
						 " has no numbers that are known here: give its bytes with @FILE");
		else
			f(zero);
	};
	std::visit(call, e.zero);
}

template <class T> T parse(const std::string &text, const std::string &type)
{
	T value{};
	const char *end = text.data() + text.size();
	if constexpr (std::is_floating_point_v<T>) {
		char *at = nullptr;
		value = T(strtod(text.c_str(), &at));
		if (!text.empty() && at == end)
			return value;
	} else {
		bool is_hex = text.starts_with("0x");
		auto [at, error] = std::from_chars(text.data() + (is_hex ? 2 : 0), end, value, is_hex ? 16 : 10);
		if (at == end && error == std::errc())
			return value;
	}
	throw std::runtime_error("\"" + text + "\" is no " + type);
}

template <class T> std::string print(T value)
{
	if constexpr (std::is_floating_point_v<T>) {
		char text[40];
		snprintf(text, sizeof(text), "%.*g", std::numeric_limits<T>::max_digits10, double(value));
		return text;
	} else {
		return std::to_string(value);
	}
}

} // namespace

element element_of(const std::string &type, size_t size)
{
	std::string name = type.substr(0, type.find('*'));
	std::string word = name.substr(0, name.find_first_of("0123456789")), width = name.substr(word.size());
	for (const scalar &s : scalars) {
		if (word != s.name)
			continue;
		for (size_t n : {1, 2, 3, 4, 8, 16})
			if (width == (n == 1 ? "" : std::to_string(n)))
				return {name, s.zero, s.size, n, s.size * (n == 3 ? 4 : n)};
	}
	return size ? element{name, {}, 1, size, size} : element_of("uchar", 1);
}

void store_number(const element &e, const std::string &text, std::byte *to)
{
	as_number(e, [&](auto zero) {
		auto value = parse<decltype(zero)>(text, e.name);
		memcpy(to, &value, sizeof(value));
	});
}

void store_count(const element &e, uint64_t count, std::byte *to)
{
	as_number(e, [&](auto zero) {
		auto value = decltype(zero)(count);
		memcpy(to, &value, sizeof(value));
	});
}

void store_bits(const element &e, uint64_t bits, std::byte *to)
{
	auto store = [&](auto zero) {
		using type = decltype(zero);
		if constexpr (std::is_floating_point_v<type>)
			zero = type(double(bits >> 11) * 0x1p-53);
		else
			memcpy(&zero, &bits, sizeof(zero));
		memcpy(to, &zero, sizeof(zero));
	};
	if (e.has_numbers())
		as_number(e, store);
	else
		store(std::byte());
}

std::string text_of(const element &e, const std::byte *from)
{
	std::string text;
	for (size_t n = 0; n < e.numbers; n++, from += e.number_size) {
		if (!e.has_numbers()) {
			char hex[3];
			snprintf(hex, sizeof(hex), "%02x", unsigned(*from));
			text += hex;
			continue;
		}
		as_number(e, [&](auto value) {
			memcpy(&value, from, sizeof(value));
			text += (n ? ":" : "") + print(value);
		});
	}
	return text;
}

} // namespace tool::run
