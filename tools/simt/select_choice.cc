// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Selects what compares and chooses.
#include "simt/select.h"

namespace het::ptx::simt
{

namespace
{

// Comparisons of numbers come first, then the same that hold for NaN too, and two for NaN alone.
constexpr std::string_view comparisons[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
					    "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

std::string_view comparison_of(const mnemonic &m)
{
	for (auto name : comparisons)
		if (!m.modifiers().empty() && m.modifiers()[0] == name)
			return name;
	return "";
}

lanes combined(context &c, const uop &u, lanes bits)
{
	if (!u.c.valid())
		return bits;
	lanes with = c.predicate(u.c, u.c_negated);
	return u.mode == 1 ? bits & with : u.mode == 2 ? bits | with : u.mode == 3 ? bits ^ with : bits;
}

// set gives numbers instead of predicates; u.offset is what stands for true, in the lower half of the register if there
// are two.
void put_numbers(context &c, const uop &u, lanes m, lanes bits, lanes upper)
{
	uint64_t *d = c.at(u.d);
	auto yes = uint64_t(u.offset);
	for_lanes(m, [&](unsigned l) { d[l] = (bits >> l & 1 ? yes : 0) | (upper >> l & 1 ? yes << 16 : 0); });
}

// @other is what the second predicate becomes.
void put_answers(context &c, const uop &u, lanes m, lanes bits, lanes other, bool two)
{
	bits = combined(c, u, bits);
	if (u.e.valid() || two)
		other = combined(c, u, other); // read before the first one is written, which may be u.c
	if (u.flag)
		return put_numbers(c, u, m, bits, two ? other : 0);
	if (u.d.valid())
		c.set_predicate(u.d, m, bits);
	if (u.e.valid())
		c.set_predicate(u.e, m, other);
}

// Returns the lanes in which it is true of the values that begin at bit @shift.
template <typename T, typename F> lanes holding(context &c, const uop &u, lanes m, unsigned shift)
{
	const uint64_t *a = c.at(u.a), *b = c.at(u.b);
	bool ftz = u.element;
	lanes bits = 0;
	if constexpr (std::is_floating_point_v<T>) {
		for_lanes(m, [&](unsigned l) {
			T x = get<T>(a[l]), y = get<T>(b[l]);
			bits |= lanes(ftz ? F{}(flushed(x), flushed(y)) : F{}(x, y)) << l;
		});
	} else if constexpr (std::is_class_v<T>) {
		for_lanes(m, [&](unsigned l) {
			double x = to_double(get<T>(a[l] >> shift), ftz), y = to_double(get<T>(b[l] >> shift), ftz);
			bits |= lanes(F{}(x, y)) << l;
		});
	} else {
		for_lanes(m, [&](unsigned l) { bits |= lanes(F{}(get<T>(a[l]), get<T>(b[l]))) << l; });
	}
	return bits;
}

// With @two, registers hold two values; the second predicate is what holds for the upper ones.
template <typename T, bool two, typename F> run_fn compare(F)
{
	return [](context &c, const uop &u, lanes m) {
		lanes bits = holding<T, F>(c, u, m, 0);
		if constexpr (two)
			put_answers(c, u, m, bits, holding<T, F>(c, u, m, 16), true);
		else
			put_answers(c, u, m, bits, ~bits, false);
	};
}

template <typename T, bool two = false> run_fn compare_ordered(std::string_view how)
{
	if (how == "eq")
		return compare<T, two>([](auto a, auto b) { return a == b; });
	if (how == "ne")
		return compare<T, two>([](auto a, auto b) { return a < b || a > b; });
	if (how == "lt" || how == "lo")
		return compare<T, two>([](auto a, auto b) { return a < b; });
	if (how == "le" || how == "ls")
		return compare<T, two>([](auto a, auto b) { return a <= b; });
	if (how == "gt" || how == "hi")
		return compare<T, two>([](auto a, auto b) { return a > b; });
	if (how == "ge" || how == "hs")
		return compare<T, two>([](auto a, auto b) { return a >= b; });
	return nullptr;
}

template <typename T, bool two = false> run_fn compare_real(std::string_view how)
{
	if (how == "equ")
		return compare<T, two>([](auto a, auto b) { return !(a < b || a > b); });
	if (how == "neu")
		return compare<T, two>([](auto a, auto b) { return !(a == b); });
	if (how == "ltu")
		return compare<T, two>([](auto a, auto b) { return !(a >= b); });
	if (how == "leu")
		return compare<T, two>([](auto a, auto b) { return !(a > b); });
	if (how == "gtu")
		return compare<T, two>([](auto a, auto b) { return !(a <= b); });
	if (how == "geu")
		return compare<T, two>([](auto a, auto b) { return !(a < b); });
	if (how == "num")
		return compare<T, two>([](auto a, auto b) { return a == a && b == b; });
	if (how == "nan")
		return compare<T, two>([](auto a, auto b) { return a != a || b != b; });
	return compare_ordered<T, two>(how);
}

run_fn comparison(type t, std::string_view how)
{
	if (t == type::f16x2)
		return compare_real<half, true>(how);
	if (t == type::bf16x2)
		return compare_real<bfloat, true>(how);
	return for_number(t, [&](auto tag) -> run_fn {
		using T = typename decltype(tag)::type;
		if constexpr (!std::is_integral_v<T>)
			return compare_real<T>(how);
		else if constexpr (sizeof(T) == 1)
			return nullptr;
		else
			return compare_ordered<T>(how);
	});
}

void choose(context &c, const uop &u, lanes m)
{
	uint64_t *d = c.at(u.d);
	const uint64_t *a = c.at(u.a), *b = c.at(u.b);
	lanes yes = c.predicate(u.c, u.c_negated);
	for_lanes(m, [&](unsigned l) { d[l] = yes >> l & 1 ? a[l] : b[l]; });
}

} // namespace

selection select_choice(const mnemonic &m)
{
	if (m.base() == "selp")
		return {choose, "tttp"};
	if (m.base() == "slct") {
		if (m.last_type() == type::f32)
			return {lanewise([](uint64_t a, uint64_t b, float c) { return c >= 0 ? a : b; }), "ttts"};
		return {lanewise([](uint64_t a, uint64_t b, int32_t c) { return c >= 0 ? a : b; }), "ttts"};
	}
	if (m.base() == "setp" || m.base() == "set")
		return {comparison(m.last_type(), comparison_of(m)), "",
			uint8_t(m.has("and")   ? 1
				: m.has("or")  ? 2
				: m.has("xor") ? 3
					       : 0)};
	return {};
}

} // namespace het::ptx::simt
