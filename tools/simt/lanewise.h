// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes operations on warps out of functions on one lane's values: lanewise([](uint32_t a, uint32_t b) { return a + b;
// }).
#pragma once

#include "simt/context.h"

#include <type_traits>
#include <utility>

namespace het::ptx::simt
{

// Takes a value out of a register's word, and puts it back: integers are extended to the whole word by their sign.
template <typename T> T get(uint64_t word)
{
	if constexpr (std::is_same_v<T, float>)
		return std::bit_cast<float>(uint32_t(word));
	else if constexpr (std::is_same_v<T, double>)
		return std::bit_cast<double>(word);
	else if constexpr (std::is_class_v<T>)
		return T{decltype(T::bits)(word)};
	else
		return T(word);
}

template <typename T> uint64_t put(T v)
{
	if constexpr (std::is_same_v<T, float>)
		return std::bit_cast<uint32_t>(v);
	else if constexpr (std::is_same_v<T, double>)
		return std::bit_cast<uint64_t>(v);
	else if constexpr (std::is_class_v<T>)
		return v.bits;
	else
		return uint64_t(v);
}

// Lanes are independent of each other: an operation may go through them in any order.
template <typename F> inline void for_lanes(lanes m, F f)
{
	if (m == all_lanes) {
#ifndef __clang__
#pragma GCC ivdep
#endif
		for (unsigned l = 0; l < warp_size; l++)
			f(l);
	} else {
		for (; m; m &= m - 1)
			f(unsigned(std::countr_zero(m)));
	}
}

template <typename F, typename R, typename... A, size_t... n>
run_fn lanewise_of(R (F::*)(A...) const, std::index_sequence<n...>)
{
	return [](context &c, const uop &u, lanes m) {
		const uint64_t *from[] = {c.at(u.a), sizeof...(A) > 1 ? c.at(u.b) : nullptr,
					  sizeof...(A) > 2 ? c.at(u.c) : nullptr};
		if constexpr (std::is_same_v<R, bool>) {
			lanes bits = 0;
			for_lanes(m, [&](unsigned l) { bits |= lanes(F{}(get<A>(from[n][l])...)) << l; });
			c.set_predicate(u.d, m, bits);
		} else {
			uint64_t *d = c.at(u.d);
			for_lanes(m, [&](unsigned l) { d[l] = put<R>(F{}(get<A>(from[n][l])...)); });
		}
	};
}

template <typename R, typename F, typename... A> constexpr size_t arity(R (F::*)(A...) const)
{
	return sizeof...(A);
}

// @f is a lambda without captures; its result of type bool is a predicate.
template <typename F> run_fn lanewise(F)
{
	return lanewise_of(&F::operator(), std::make_index_sequence<arity(&F::operator())>{});
}

template <typename T> struct type_tag {
	using type = T;
};

// Calls @f with the tag of a C++ type for an integer type of PTX, untyped ones being unsigned.
template <typename F> run_fn for_integer(type t, F f)
{
	switch (t) {
	case type::u8:
	case type::b8:
		return f(type_tag<uint8_t>{});
	case type::u16:
	case type::b16:
		return f(type_tag<uint16_t>{});
	case type::u32:
	case type::b32:
		return f(type_tag<uint32_t>{});
	case type::u64:
	case type::b64:
		return f(type_tag<uint64_t>{});
	case type::s8:
		return f(type_tag<int8_t>{});
	case type::s16:
		return f(type_tag<int16_t>{});
	case type::s32:
		return f(type_tag<int32_t>{});
	case type::s64:
		return f(type_tag<int64_t>{});
	default:
		return nullptr;
	}
}

} // namespace het::ptx::simt
