// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Selects integer arithmetic.
#include "simt/select.h"

#include <limits>

namespace het::ptx::simt
{

namespace
{

template <unsigned bytes, bool is_signed> struct integer_of;
template <> struct integer_of<4, false> {
	using type = uint32_t;
};
template <> struct integer_of<4, true> {
	using type = int32_t;
};
template <> struct integer_of<8, false> {
	using type = uint64_t;
};
template <> struct integer_of<8, true> {
	using type = int64_t;
};
template <> struct integer_of<16, false> {
	using type = unsigned __int128;
};
template <> struct integer_of<16, true> {
	using type = __int128;
};
template <typename T> using wider = typename integer_of<2 * sizeof(T), std::is_signed_v<T>>::type;

// Arithmetic that wraps is done in a type that is unsigned and not promoted to int.
template <typename T> using wrap = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// Arithmetic knows 16, 32 and 64 bits.
template <typename F> run_fn for_arithmetic(type t, F f)
{
	return for_integer(t, [&](auto tag) -> run_fn {
		if constexpr (sizeof(typename decltype(tag)::type) == 1)
			return nullptr;
		else
			return f(tag);
	});
}

template <typename F> run_fn for_32_bits(type t, F f)
{
	return t == type::s32 ? f(type_tag<int32_t>{}) : bits_of(t) == 32 ? f(type_tag<uint32_t>{}) : nullptr;
}

template <typename T, bool minus> T with_saturation(T a, T b)
{
	T r;
	if (minus ? !__builtin_sub_overflow(a, b, &r) : !__builtin_add_overflow(a, b, &r))
		return r;
	return (a < 0) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

run_fn add(type t, bool saturate)
{
	if (saturate)
		return lanewise([](int32_t a, int32_t b) { return with_saturation<int32_t, false>(a, b); });
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b) { return T(wrap<T>(a) + wrap<T>(b)); });
	});
}

run_fn subtract(type t, bool saturate)
{
	if (saturate)
		return lanewise([](int32_t a, int32_t b) { return with_saturation<int32_t, true>(a, b); });
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b) { return T(wrap<T>(a) - wrap<T>(b)); });
	});
}

// Does the same in both halves of 32 bits.
template <typename T, typename F> uint32_t halves(uint32_t a, uint32_t b, F f)
{
	return uint32_t(uint16_t(f(T(a), T(b)))) | uint32_t(uint16_t(f(T(a >> 16), T(b >> 16)))) << 16;
}

// add, sub and mad may carry. The carry is a predicate, u.e; subtraction keeps the borrow in it. Of the mode, 1 reads
// it, 2 writes it, and 4 subtracts.
template <typename T> void carrying(context &c, const uop &u, lanes m)
{
	uint64_t *d = c.at(u.d);
	const uint64_t *a = c.at(u.a), *b = c.at(u.b);
	lanes in = u.mode & 1 ? c.predicate(u.e) : 0, out = 0;
	for_lanes(m, [&](unsigned l) {
		auto x = static_cast<unsigned __int128>(get<T>(a[l])), y = static_cast<unsigned __int128>(get<T>(b[l]));
		unsigned __int128 r = u.mode & 4 ? x - y - (in >> l & 1) : x + y + (in >> l & 1);
		d[l] = put<T>(T(r));
		out |= lanes((r >> (8 * sizeof(T)) & 1) != 0) << l;
	});
	if (u.mode & 2)
		c.set_predicate(u.e, m, out);
}

// Sets d to the low part of a * b, or the high one with mode 4, plus c.
template <typename T> void multiply_carrying(context &c, const uop &u, lanes m)
{
	using U = std::make_unsigned_t<T>;
	uint64_t *d = c.at(u.d);
	const uint64_t *a = c.at(u.a), *b = c.at(u.b), *s = c.at(u.c);
	lanes in = u.mode & 1 ? c.predicate(u.e) : 0, out = 0;
	for_lanes(m, [&](unsigned l) {
		auto product = wider<T>(get<T>(a[l])) * get<T>(b[l]);
		U part = U(u.mode & 4 ? product >> (8 * sizeof(T)) : product);
		auto r = static_cast<unsigned __int128>(part) + get<U>(s[l]) + (in >> l & 1);
		d[l] = put<U>(U(r));
		out |= lanes((r >> (8 * sizeof(T)) & 1) != 0) << l;
	});
	if (u.mode & 2)
		c.set_predicate(u.e, m, out);
}

selection select_carry(const mnemonic &m)
{
	auto base = m.base();
	bool reads = base == "addc" || base == "subc" || base == "madc", writes = m.has("cc");
	uint8_t mode = uint8_t(reads | writes << 1);
	type t = m.last_type();
	bool wide = bits_of(t) == 64;
	if (base == "mad" || base == "madc") {
		run_fn run = t == type::s32   ? multiply_carrying<int32_t>
			     : t == type::s64 ? multiply_carrying<int64_t>
			     : wide           ? multiply_carrying<uint64_t>
					      : multiply_carrying<uint32_t>;
		return {run, "tttt", uint8_t(mode | (m.has("hi") ? 4 : 0)), true};
	}
	bool minus = base == "sub" || base == "subc";
	return {wide ? carrying<uint64_t> : carrying<uint32_t>, "ttt", uint8_t(mode | (minus ? 4 : 0)), true};
}

run_fn multiply_high(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b) { return T(wider<T>(a) * b >> (8 * sizeof(T))); });
	});
}

template <typename F> run_fn for_widening(type t, F f)
{
	switch (t) {
	case type::u16:
		return f(type_tag<uint16_t>{});
	case type::s16:
		return f(type_tag<int16_t>{});
	case type::u32:
		return f(type_tag<uint32_t>{});
	case type::s32:
		return f(type_tag<int32_t>{});
	default:
		return nullptr;
	}
}

run_fn multiply_wide(type t)
{
	return for_widening(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b) { return wider<T>(wider<T>(a) * b); });
	});
}

run_fn multiply_low(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b) { return T(wrap<T>(a) * wrap<T>(b)); });
	});
}

selection select_multiply(const mnemonic &m)
{
	type t = m.last_type();
	if (m.has("wide"))
		return {multiply_wide(t), "wtt"};
	return {m.has("hi") ? multiply_high(t) : multiply_low(t), "ttt"};
}

run_fn multiply_add_wide(type t)
{
	return for_widening(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		using U = std::make_unsigned_t<wider<T>>;
		return lanewise([](T a, T b, wider<T> c) { return wider<T>(U(wider<T>(a) * b) + U(c)); });
	});
}

run_fn multiply_add_high(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise(
			[](T a, T b, T c) { return T(wrap<T>(T(wider<T>(a) * b >> (8 * sizeof(T)))) + wrap<T>(c)); });
	});
}

selection select_multiply_add(const mnemonic &m)
{
	type t = m.last_type();
	if (m.has("wide"))
		return {multiply_add_wide(t), "wttw"};
	if (m.has("sat"))
		return {lanewise([](int32_t a, int32_t b, int32_t c) {
				return with_saturation<int32_t, false>(int32_t(int64_t{a} * b >> 32), c);
			}),
			"tttt"};
	if (m.has("hi"))
		return {multiply_add_high(t), "tttt"};
	return {for_arithmetic(t,
			       [](auto tag) {
				       using T = typename decltype(tag)::type;
				       return lanewise(
					       [](T a, T b, T c) { return T(wrap<T>(a) * wrap<T>(b) + wrap<T>(c)); });
			       }),
		"tttt"};
}

template <typename T> T low_24_bits(T v)
{
	return std::is_signed_v<T> ? T(int32_t(uint32_t(v) << 8) >> 8) : T(v & 0xffffff);
}

template <typename T> T product_24(T a, T b, bool high)
{
	auto p = int64_t{low_24_bits(a)} * low_24_bits(b);
	return T(high ? p >> 16 : p);
}

run_fn multiply_24(type t, bool high)
{
	return for_32_bits(t, [&](auto tag) {
		using T = typename decltype(tag)::type;
		return high ? lanewise([](T a, T b) { return product_24(a, b, true); })
			    : lanewise([](T a, T b) { return product_24(a, b, false); });
	});
}

run_fn multiply_add_24(type t, bool high)
{
	return for_32_bits(t, [&](auto tag) {
		using T = typename decltype(tag)::type;
		return high ? lanewise([](T a, T b, T c) { return T(uint32_t(product_24(a, b, true)) + uint32_t(c)); })
			    : lanewise(
				      [](T a, T b, T c) { return T(uint32_t(product_24(a, b, false)) + uint32_t(c)); });
	});
}

// A division by zero gives what the hardware gives: all ones and the dividend.
template <typename T> T quotient(T a, T b)
{
	if (b == 0)
		return T(-1);
	if (std::is_signed_v<T> && b == T(-1))
		return T(wrap<T>(0) - wrap<T>(a));
	return T(a / b);
}

template <typename T> T remainder(T a, T b)
{
	if (b == 0)
		return a;
	if (std::is_signed_v<T> && b == T(-1))
		return 0;
	return T(a % b);
}

run_fn divide(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b) { return quotient(a, b); });
	});
}

run_fn rest(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b) { return remainder(a, b); });
	});
}

selection select_extremum(const mnemonic &m)
{
	type t = m.last_type();
	bool least = m.base() == "min";
	auto name = m.modifiers().empty() ? "" : m.modifiers().back();
	if (m.has("relu"))
		return {};
	if (name == "u16x2")
		return {least ? lanewise([](uint32_t a, uint32_t b) {
				return halves<uint16_t>(a, b, [](auto x, auto y) { return x < y ? x : y; });
			})
			      : lanewise([](uint32_t a, uint32_t b) {
					return halves<uint16_t>(a, b, [](auto x, auto y) { return x > y ? x : y; });
				}),
			"uuu"};
	if (name == "s16x2")
		return {least ? lanewise([](uint32_t a, uint32_t b) {
				return halves<int16_t>(a, b, [](auto x, auto y) { return x < y ? x : y; });
			})
			      : lanewise([](uint32_t a, uint32_t b) {
					return halves<int16_t>(a, b, [](auto x, auto y) { return x > y ? x : y; });
				}),
			"uuu"};
	return {for_arithmetic(t,
			       [&](auto tag) {
				       using T = typename decltype(tag)::type;
				       return least ? lanewise([](T a, T b) { return a < b ? a : b; })
						    : lanewise([](T a, T b) { return a > b ? a : b; });
			       }),
		"ttt"};
}

run_fn negate(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a) { return T(wrap<T>(0) - wrap<T>(a)); });
	});
}

run_fn magnitude(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a) { return a < 0 ? T(wrap<T>(0) - wrap<T>(a)) : a; });
	});
}

run_fn sum_of_differences(type t)
{
	return for_arithmetic(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, T b, T c) {
			return T(wrap<T>(c) + (a < b ? wrap<T>(b) - wrap<T>(a) : wrap<T>(a) - wrap<T>(b)));
		});
	});
}

// dp4a.A.B takes this: A and B say how the bytes of a and b are extended.
template <typename A, typename B> run_fn byte_product()
{
	return lanewise([](uint32_t a, uint32_t b, uint32_t c) {
		for (unsigned i = 0; i < 32; i += 8)
			c += uint32_t(int32_t{A(a >> i)} * int32_t{B(b >> i)});
		return c;
	});
}

selection select_byte_product(const mnemonic &m)
{
	bool a = is_signed(m.type_at(0)), b = is_signed(m.type_at(1));
	return {a   ? b ? byte_product<int8_t, int8_t>() : byte_product<int8_t, uint8_t>()
		  : b ? byte_product<uint8_t, int8_t>()
		    : byte_product<uint8_t, uint8_t>(),
		"uuuu"};
}

// GCC adds three words, or adds the difference of two to a third, by the instructions for videos.
selection select_video(const mnemonic &m, bool minus)
{
	const auto modifiers = m.modifiers();
	if (modifiers.size() != 4 || modifiers.back() != "add" || bits_of(m.last_type()) != 32)
		return {};
	return {minus ? lanewise([](uint32_t a, uint32_t b, uint32_t c) { return a - b + c; })
		      : lanewise([](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; }),
		"uuuu"};
}

} // namespace

selection select_integer(const mnemonic &m)
{
	auto base = m.base();
	type t = m.last_type();
	if (is_real(t))
		return {};
	if (base == "addc" || base == "subc" || base == "madc" || m.has("cc"))
		return select_carry(m);
	if (base == "add")
		return {add(t, m.has("sat")), "ttt"};
	if (base == "sub")
		return {subtract(t, m.has("sat")), "ttt"};
	if (base == "mul")
		return select_multiply(m);
	if (base == "mad")
		return select_multiply_add(m);
	if (base == "mul24")
		return {multiply_24(t, m.has("hi")), "ttt"};
	if (base == "mad24")
		return {m.has("sat") ? nullptr : multiply_add_24(t, m.has("hi")), "tttt"};
	if (base == "div")
		return {divide(t), "ttt"};
	if (base == "rem")
		return {rest(t), "ttt"};
	if (base == "min" || base == "max")
		return select_extremum(m);
	if (base == "neg")
		return {negate(t), "tt"};
	if (base == "abs")
		return {magnitude(t), "tt"};
	if (base == "sad")
		return {sum_of_differences(t), "tttt"};
	if (base == "dp4a")
		return select_byte_product(m);
	if (base == "vadd" || base == "vsub")
		return select_video(m, base == "vsub");
	return {};
}

} // namespace het::ptx::simt
