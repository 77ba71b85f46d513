// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Selects logic, shifts and bit fields.
#include "simt/select.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

template <typename F> run_fn on_predicates(F)
{
	return [](context &c, const uop &u, lanes m) {
		lanes a = c.predicate(u.a), b = u.b.valid() ? c.predicate(u.b) : 0;
		c.set_predicate(u.d, m, F{}(a, b));
	};
}

run_fn logic(std::string_view base)
{
	if (base == "and")
		return lanewise([](uint64_t a, uint64_t b) { return a & b; });
	if (base == "or")
		return lanewise([](uint64_t a, uint64_t b) { return a | b; });
	if (base == "xor")
		return lanewise([](uint64_t a, uint64_t b) { return a ^ b; });
	return lanewise([](uint64_t a) { return ~a; });
}

run_fn predicate_logic(std::string_view base)
{
	if (base == "and")
		return on_predicates([](lanes a, lanes b) { return a & b; });
	if (base == "or")
		return on_predicates([](lanes a, lanes b) { return a | b; });
	if (base == "xor")
		return on_predicates([](lanes a, lanes b) { return a ^ b; });
	return on_predicates([](lanes a, lanes) { return ~a; });
}

run_fn is_zero(type t)
{
	return for_integer(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a) { return T(a == 0); });
	});
}

run_fn shift_left(type t)
{
	return for_integer(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, uint32_t n) { return n < 8 * sizeof(T) ? T(uint64_t(a) << n) : T(0); });
	});
}

run_fn shift_right(type t)
{
	return for_integer(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		constexpr uint32_t last = 8 * sizeof(T) - 1;
		return lanewise([](T a, uint32_t n) {
			return n <= last ? T(a >> n) : std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
		});
	});
}

uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, bool left)
{
	uint64_t both = uint64_t{high} << 32 | low;
	return uint32_t(left ? both << n >> 32 : both >> n);
}

run_fn funnel_shift(const mnemonic &m)
{
	bool wrap = m.has("wrap");
	if (m.has("l"))
		return wrap ? lanewise([](uint32_t a, uint32_t b, uint32_t n) { return funnel(a, b, n & 31, true); })
			    : lanewise([](uint32_t a, uint32_t b, uint32_t n) {
				      return funnel(a, b, std::min(n, 32u), true);
			      });
	return wrap ? lanewise([](uint32_t a, uint32_t b, uint32_t n) { return funnel(a, b, n & 31, false); })
		    : lanewise(
			      [](uint32_t a, uint32_t b, uint32_t n) { return funnel(a, b, std::min(n, 32u), false); });
}

// bfe takes a field: bits outside of the word are copies of the sign of what is taken, or zero.
template <typename T> T bit_field(T a, uint32_t position, uint32_t length)
{
	constexpr uint32_t size = 8 * sizeof(T);
	using U = std::make_unsigned_t<T>;
	position &= 255;
	length &= 255;
	if (length == 0)
		return 0;
	bool negative = std::is_signed_v<T> && (U(a) >> std::min(position + length - 1, size - 1) & 1);
	U field = position < size ? U(U(a) >> position) : 0;
	uint32_t have = position < size ? std::min(length, size - position) : 0;
	if (have < size) {
		U mask = U((U(1) << have) - 1);
		field = negative ? U(field | U(~mask)) : U(field & mask);
	}
	return T(field);
}

// bfi puts the low bits of a into b.
template <typename T> T insert_field(T a, T b, uint32_t position, uint32_t length)
{
	constexpr uint32_t size = 8 * sizeof(T);
	position &= 255;
	length &= 255;
	if (length == 0 || position >= size)
		return b;
	length = std::min(length, size - position);
	T mask = T((length == size ? T(-1) : T((T(1) << length) - 1)) << position);
	return T((b & T(~mask)) | (T(a << position) & mask));
}

// bfi has four operands: the length is u.e, which is not a predicate here.
template <typename T> void insert_fields(context &c, const uop &u, lanes m)
{
	uint64_t *d = c.at(u.d);
	const uint64_t *a = c.at(u.a), *b = c.at(u.b), *p = c.at(u.c), *n = c.at(u.e);
	for_lanes(m, [&](unsigned l) {
		d[l] = insert_field<T>(get<T>(a[l]), get<T>(b[l]), get<uint32_t>(p[l]), get<uint32_t>(n[l]));
	});
}

run_fn extract_fields(type t)
{
	return for_integer(t, [](auto tag) {
		using T = typename decltype(tag)::type;
		return lanewise([](T a, uint32_t p, uint32_t n) { return bit_field(a, p, n); });
	});
}

// Returns the place of the highest bit that differs from the sign, or the distance from the top with .shiftamt.
template <typename T> uint32_t find_bit(T a, bool distance)
{
	constexpr uint32_t size = 8 * sizeof(T);
	using U = std::make_unsigned_t<T>;
	U v = std::is_signed_v<T> && a < 0 ? U(~U(a)) : U(a);
	if (v == 0)
		return ~0u;
	uint32_t at = size - 1 - uint32_t(std::countl_zero(v));
	return distance ? size - 1 - at : at;
}

run_fn find_bits(type t, bool distance)
{
	return for_integer(t, [&](auto tag) {
		using T = typename decltype(tag)::type;
		return distance ? lanewise([](T a) { return find_bit(a, true); })
				: lanewise([](T a) { return find_bit(a, false); });
	});
}

uint32_t reversed(uint32_t v)
{
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(v);
}

// prmt has eight bytes to choose from; bit 3 of a choice copies the sign over the byte.
uint32_t permuted(uint32_t a, uint32_t b, uint32_t choice)
{
	uint64_t bytes = uint64_t{b} << 32 | a;
	uint32_t r = 0;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t c = choice >> 4 * i, byte = uint32_t(bytes >> 8 * (c & 7)) & 0xff;
		if (c & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << 8 * i;
	}
	return r;
}

// The special modes of prmt make these choices, by the third operand.
constexpr uint32_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543}, b4e[] = {0x5670, 0x6701, 0x7012, 0x0123},
		   rc8[] = {0x0000, 0x1111, 0x2222, 0x3333}, ecl[] = {0x3210, 0x3211, 0x3222, 0x3333},
		   ecr[] = {0x0000, 0x1110, 0x2210, 0x3210}, rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};

template <const uint32_t (&choices)[4]> run_fn permute_by()
{
	return lanewise([](uint32_t a, uint32_t b, uint32_t n) { return permuted(a, b, choices[n & 3]); });
}

run_fn permute(const mnemonic &m)
{
	return m.has("f4e")    ? permute_by<f4e>()
	       : m.has("b4e")  ? permute_by<b4e>()
	       : m.has("rc8")  ? permute_by<rc8>()
	       : m.has("ecl")  ? permute_by<ecl>()
	       : m.has("ecr")  ? permute_by<ecr>()
	       : m.has("rc16") ? permute_by<rc16>()
			       : lanewise([](uint32_t a, uint32_t b, uint32_t n) { return permuted(a, b, n); });
}

// lop3 computes any function of three bits, whose table is u.e.
void table_logic(context &c, const uop &u, lanes m)
{
	uint64_t *d = c.at(u.d);
	const uint64_t *x = c.at(u.a), *y = c.at(u.b), *z = c.at(u.c), *table = c.at(u.e);
	for_lanes(m, [&](unsigned l) {
		uint64_t r = 0;
		for (unsigned i = 0; i < 8; i++)
			if (table[l] >> i & 1)
				r |= (i & 4 ? x[l] : ~x[l]) & (i & 2 ? y[l] : ~y[l]) & (i & 1 ? z[l] : ~z[l]);
		d[l] = r;
	});
}

uint32_t mask_of(uint32_t position, uint32_t length)
{
	if (position >= 32 || length == 0)
		return 0;
	return (length >= 32 ? ~0u : (1u << length) - 1) << position;
}

template <typename T> T extended(T a, uint32_t bits, bool wrap)
{
	if (wrap)
		bits &= 31;
	if (bits >= 32)
		return a;
	if (bits == 0)
		return 0;
	return T(T(uint32_t(a) << (32 - bits)) >> (32 - bits));
}

run_fn extend(type t, bool wrap)
{
	if (t == type::s32)
		return wrap ? lanewise([](int32_t a, uint32_t n) { return extended(a, n, true); })
			    : lanewise([](int32_t a, uint32_t n) { return extended(a, n, false); });
	return wrap ? lanewise([](uint32_t a, uint32_t n) { return extended(a, n, true); })
		    : lanewise([](uint32_t a, uint32_t n) { return extended(a, n, false); });
}

// Returns the @n-th set bit from @base upwards, or downwards for a negative n.
uint32_t find_nth(uint32_t mask, uint32_t base, int32_t n)
{
	if (n == 0)
		return mask >> (base & 31) & 1 ? base & 31 : ~0u;
	int step = n > 0 ? 1 : -1;
	for (int i = int(base & 31), left = std::abs(n); i >= 0 && i < 32; i += step)
		if ((mask >> i & 1) && --left == 0)
			return uint32_t(i);
	return ~0u;
}

} // namespace

selection select_bits(const mnemonic &m)
{
	auto base = m.base();
	type t = m.last_type();
	bool wide = bits_of(t) == 64;
	if (base == "and" || base == "or" || base == "xor" || base == "not")
		return {t == type::pred ? predicate_logic(base) : logic(base), base == "not" ? "tt" : "ttt"};
	if (base == "cnot")
		return {is_zero(t), "tt"};
	if (base == "shl")
		return {shift_left(t), "ttu"};
	if (base == "shr")
		return {shift_right(t), "ttu"};
	if (base == "shf")
		return {funnel_shift(m), "tttu"};
	if (base == "bfe")
		return {extract_fields(t), "ttuu"};
	if (base == "bfi")
		return {wide ? insert_fields<uint64_t> : insert_fields<uint32_t>, "tttuu"};
	if (base == "lop3")
		return {m.has("BoolOp") ? nullptr : table_logic, "ttttu"};
	if (base == "bfind")
		return {find_bits(t, m.has("shiftamt")), "ut"};
	if (base == "popc")
		return {wide ? lanewise([](uint64_t a) { return uint32_t(std::popcount(a)); })
			     : lanewise([](uint32_t a) { return uint32_t(std::popcount(a)); }),
			"ut"};
	if (base == "clz")
		return {wide ? lanewise([](uint64_t a) { return uint32_t(std::countl_zero(a)); })
			     : lanewise([](uint32_t a) { return uint32_t(std::countl_zero(a)); }),
			"ut"};
	if (base == "brev")
		return {wide ? lanewise([](uint64_t a) {
				return uint64_t{reversed(uint32_t(a))} << 32 | reversed(uint32_t(a >> 32));
			})
			     : lanewise([](uint32_t a) { return reversed(a); }),
			"tt"};
	if (base == "prmt")
		return {permute(m), "uuuu"};
	if (base == "bmsk")
		return {m.has("wrap") ? lanewise([](uint32_t a, uint32_t b) { return mask_of(a & 31, b & 31); })
				      : lanewise([](uint32_t a, uint32_t b) { return mask_of(a, b); }),
			"uuu"};
	if (base == "szext")
		return {extend(t, m.has("wrap")), "ttu"};
	if (base == "fns")
		return {lanewise([](uint32_t a, uint32_t b, int32_t n) { return find_nth(a, b, n); }), "uuuu"};
	return {};
}

} // namespace het::ptx::simt
