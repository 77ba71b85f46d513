// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Comparing and choosing.
#include "ptx/simt/select.h"

namespace het::ptx::simt
{

namespace
{

// The comparisons: of numbers, then the same that hold for NaN too, and two for NaN alone.
constexpr std::string_view comparisons[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
					    "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

std::string_view comparison_of(const mnemonic &m)
{
	for (auto name : comparisons)
		if (!m.modifiers().empty() && m.modifiers()[0] == name)
			return name;
	return "";
}

void combine(context &c, const uop &u, lanes m, lanes bits)
{
	lanes other = ~bits;
	if (u.c.valid()) {
		lanes with = c.predicate(u.c, u.c_negated);
		auto both = [&](lanes v) {
			return u.mode == 1 ? v & with : u.mode == 2 ? v | with : u.mode == 3 ? v ^ with : v;
		};
		bits = both(bits);
		other = both(other);
	}
	if (u.flag) { // set: a number instead of a predicate
		uint64_t *d = c.at(u.d);
		uint64_t yes = u.offset == 1 ? std::bit_cast<uint32_t>(1.0f) : uint32_t(-1);
		for_lanes(m, [&](unsigned l) { d[l] = bits >> l & 1 ? yes : 0; });
		return;
	}
	if (u.d.valid())
		c.set_predicate(u.d, m, bits);
	if (u.e.valid())
		c.set_predicate(u.e, m, other);
}

template <typename T, typename F> run_fn compare(F)
{
	return [](context &c, const uop &u, lanes m) {
		const uint64_t *a = c.at(u.a), *b = c.at(u.b);
		lanes bits = 0;
		if constexpr (std::is_floating_point_v<T>) {
			bool ftz = u.element;
			for_lanes(m, [&](unsigned l) {
				T x = get<T>(a[l]), y = get<T>(b[l]);
				bits |= lanes(ftz ? F{}(flushed(x), flushed(y)) : F{}(x, y)) << l;
			});
		} else if constexpr (std::is_class_v<T>) {
			for_lanes(m, [&](unsigned l) {
				bits |= lanes(F{}(to_double(get<T>(a[l])), to_double(get<T>(b[l])))) << l;
			});
		} else {
			for_lanes(m, [&](unsigned l) { bits |= lanes(F{}(get<T>(a[l]), get<T>(b[l]))) << l; });
		}
		combine(c, u, m, bits);
	};
}

template <typename T> run_fn compare_ordered(std::string_view how)
{
	if (how == "eq")
		return compare<T>([](auto a, auto b) { return a == b; });
	if (how == "ne")
		return compare<T>([](auto a, auto b) { return a < b || a > b; });
	if (how == "lt" || how == "lo")
		return compare<T>([](auto a, auto b) { return a < b; });
	if (how == "le" || how == "ls")
		return compare<T>([](auto a, auto b) { return a <= b; });
	if (how == "gt" || how == "hi")
		return compare<T>([](auto a, auto b) { return a > b; });
	if (how == "ge" || how == "hs")
		return compare<T>([](auto a, auto b) { return a >= b; });
	return nullptr;
}

template <typename T> run_fn compare_real(std::string_view how)
{
	if (how == "equ")
		return compare<T>([](auto a, auto b) { return !(a < b || a > b); });
	if (how == "neu")
		return compare<T>([](auto a, auto b) { return !(a == b); });
	if (how == "ltu")
		return compare<T>([](auto a, auto b) { return !(a >= b); });
	if (how == "leu")
		return compare<T>([](auto a, auto b) { return !(a > b); });
	if (how == "gtu")
		return compare<T>([](auto a, auto b) { return !(a <= b); });
	if (how == "geu")
		return compare<T>([](auto a, auto b) { return !(a < b); });
	if (how == "num")
		return compare<T>([](auto a, auto b) { return a == a && b == b; });
	if (how == "nan")
		return compare<T>([](auto a, auto b) { return a != a || b != b; });
	return compare_ordered<T>(how);
}

run_fn comparison(type t, std::string_view how)
{
	switch (t) {
	case type::f32:
		return compare_real<float>(how);
	case type::f64:
		return compare_real<double>(how);
	case type::f16:
		return compare_real<half>(how);
	case type::bf16:
		return compare_real<bfloat>(how);
	default:
		break;
	}
	return for_integer(t, [&](auto tag) -> run_fn {
		using T = typename decltype(tag)::type;
		if constexpr (sizeof(T) == 1)
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
