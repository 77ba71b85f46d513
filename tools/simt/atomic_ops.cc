// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Executes atomic operations.
#include "simt/decoder.h"
#include "simt/half.h"
#include "simt/lanewise.h"

#include <functional>

namespace het::ptx::simt
{

namespace
{

// Updates in the order of lanes, from a first one that differs where lanes are independent.
template <typename T, typename F> void update(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a), *b = c.at(u.b), *other = u.c.valid() ? c.at(u.c) : b;
	for (unsigned i = 0; i < warp_size; i++) {
		unsigned l = (i + c.first_lane) % warp_size;
		if (!(m >> l & 1))
			continue;
		place_in_memory p = c.locate(u, l, u.space, address_at(u, a, l), sizeof(T), access::atomic);
		if (!p.bytes)
			return;
		T old;
		memcpy(&old, p.bytes, sizeof(T));
		T changed = F{}(old, get<T>(b[l]), get<T>(other[l]));
		memcpy(p.bytes, &changed, sizeof(T));
		if (p.defined)
			memset(p.defined, 1, sizeof(T));
		if (u.d.valid())
			c.at(u.d)[l] = put<T>(old);
	}
}

template <typename T, typename F> run_fn atomic_with(F)
{
	return update<T, F>;
}

template <typename T> run_fn integer_atomic(std::string_view name)
{
	if (name == "add")
		return atomic_with<T>(
			[](T v, T b, T) { return T(std::make_unsigned_t<T>(v) + std::make_unsigned_t<T>(b)); });
	if (name == "min")
		return atomic_with<T>([](T v, T b, T) { return v < b ? v : b; });
	if (name == "max")
		return atomic_with<T>([](T v, T b, T) { return v > b ? v : b; });
	if (name == "and")
		return atomic_with<T>([](T v, T b, T) { return T(v & b); });
	if (name == "or")
		return atomic_with<T>([](T v, T b, T) { return T(v | b); });
	if (name == "xor")
		return atomic_with<T>([](T v, T b, T) { return T(v ^ b); });
	if (name == "exch")
		return atomic_with<T>([](T, T b, T) { return b; });
	if (name == "cas")
		return atomic_with<T>([](T v, T b, T c) { return v == b ? c : v; });
	if (name == "inc")
		return atomic_with<T>([](T v, T b, T) { return v >= b ? T(0) : T(v + 1); });
	if (name == "dec")
		return atomic_with<T>([](T v, T b, T) { return v == 0 || v > b ? b : T(v - 1); });
	return nullptr;
}

template <typename T> struct sum {
	T operator()(T v, T b, T = {}) const { return v + b; }
};

// Holds two 16-bit numbers of a register.
template <typename T> struct two {
	uint32_t bits;
};

template <typename T, typename F> T on_half(T v, T b)
{
	return from_double<T>(F{}(to_double(v), to_double(b)));
}

// Applies an operation on doubles, rounded once, to one number or two.
template <typename T, typename F> struct on_halves {
	T operator()(T v, T b, T = {}) const { return on_half<T, F>(v, b); }
};
template <typename T, typename F> struct on_halves<two<T>, F> {
	two<T> operator()(two<T> v, two<T> b, two<T> = {}) const
	{
		auto part = [&](unsigned shift) {
			T low{uint16_t(v.bits >> shift)}, other{uint16_t(b.bits >> shift)};
			return uint32_t{on_half<T, F>(low, other).bits} << shift;
		};
		return {part(0) | part(16)};
	}
};

struct lesser {
	double operator()(double a, double b) const { return std::fmin(a, b); }
};
struct larger {
	double operator()(double a, double b) const { return std::fmax(a, b); }
};

// Updates each element by itself: others may come between.
template <typename T, typename F> void update_vector(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	const ref *b = &c.prog->refs()[u.target], *d = b + u.vector;
	for (unsigned i = 0; i < warp_size; i++) {
		unsigned l = (i + c.first_lane) % warp_size;
		if (!(m >> l & 1))
			continue;
		unsigned bytes = unsigned(sizeof(T)) * u.vector;
		place_in_memory p = c.locate(u, l, u.space, address_at(u, a, l), bytes, access::atomic);
		if (!p.bytes)
			return;
		for (unsigned k = 0; k < u.vector; k++) {
			T old;
			memcpy(&old, p.bytes + k * sizeof(T), sizeof(T));
			T changed = F{}(old, get<T>(c.at(b[k])[l]));
			memcpy(p.bytes + k * sizeof(T), &changed, sizeof(T));
			if (u.mode)
				c.at(d[k])[l] = put<T>(old);
		}
		if (p.defined)
			memset(p.defined, 1, bytes);
	}
}

template <typename T> run_fn half_atomic(std::string_view name, bool vector)
{
	auto with = [&]<typename F>(F) -> run_fn {
		return vector ? run_fn(update_vector<T, on_halves<T, F>>) : run_fn(update<T, on_halves<T, F>>);
	};
	return name == "add"   ? with(std::plus<double>{})
	       : name == "min" ? with(lesser{})
	       : name == "max" ? with(larger{})
			       : nullptr;
}

run_fn half_atomic(std::string_view name, type t, bool vector)
{
	switch (t) {
	case type::f16:
		return half_atomic<half>(name, vector);
	case type::bf16:
		return half_atomic<bfloat>(name, vector);
	case type::f16x2:
		return half_atomic<two<half>>(name, vector);
	case type::bf16x2:
		return half_atomic<two<bfloat>>(name, vector);
	default:
		return nullptr;
	}
}

} // namespace

run_fn atomic_op(std::string_view name, type t)
{
	switch (t) {
	case type::u32:
	case type::b32:
		return integer_atomic<uint32_t>(name);
	case type::s32:
		return integer_atomic<int32_t>(name);
	case type::u64:
	case type::b64:
		return integer_atomic<uint64_t>(name);
	case type::s64:
		return integer_atomic<int64_t>(name);
	case type::b16:
		return name == "cas" ? integer_atomic<uint16_t>(name) : nullptr;
	case type::f32:
		return name == "add" ? run_fn(update<float, sum<float>>) : nullptr;
	case type::f64:
		return name == "add" ? run_fn(update<double, sum<double>>) : nullptr;
	default:
		return half_atomic(name, t, false);
	}
}

run_fn vector_atomic_op(std::string_view name, type t)
{
	if (t == type::f32)
		return name == "add" ? run_fn(update_vector<float, sum<float>>) : nullptr;
	return half_atomic(name, t, true);
}

} // namespace het::ptx::simt
