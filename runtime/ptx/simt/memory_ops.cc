// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Loads, stores and atomics.
#include "ptx/simt/decoder.h"

#include <limits>

namespace het::ptx::simt
{

namespace
{

uint64_t address_at(const uop &u, const uint64_t *a, unsigned lane)
{
	return (u.flag ? uint32_t(a[lane]) : a[lane]) + uint64_t(u.offset);
}

template <space s>
place_in_memory place_at(context &c, const uop &u, const uint64_t *a, unsigned lane, unsigned n, access how)
{
	if constexpr (s == space::global || s == space::constant)
		return c.locate_global(u, lane, address_at(u, a, lane), n, how);
	else
		return c.locate(u, lane, s, address_at(u, a, lane), n, how);
}

bool all_defined(const uint8_t *defined, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!defined[i])
			return false;
	return true;
}

template <typename T, space s> void load_from(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	const ref *to = &c.prog->refs()[u.target];
	unsigned bytes = unsigned(sizeof(T)) * u.vector;
	lanes defined = 0;
	uint64_t *d = c.at(to[0]);
	for (lanes left = m; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		place_in_memory p = place_at<s>(c, u, a, l, bytes, access::read);
		if (!p.bytes)
			return;
		if (c.tracks)
			defined |= lanes(!p.defined || all_defined(p.defined, bytes)) << l;
		T v;
		memcpy(&v, p.bytes, sizeof(T));
		d[l] = put<T>(v);
		for (unsigned i = 1; i < u.vector; i++) {
			memcpy(&v, p.bytes + i * sizeof(T), sizeof(T));
			c.at(to[i])[l] = put<T>(v);
		}
	}
	c.value_defined = defined;
}

template <typename T, space s> void store_to(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	const ref *from = &c.prog->refs()[u.target];
	unsigned bytes = unsigned(sizeof(T)) * u.vector;
	for (lanes left = m; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		place_in_memory p = place_at<s>(c, u, a, l, bytes, access::write);
		if (!p.bytes)
			return;
		if (p.defined)
			memset(p.defined, c.value_defined >> l & 1, bytes);
		for (unsigned i = 0; i < u.vector; i++) {
			T v = get<T>(c.at(from[i])[l]);
			memcpy(p.bytes + i * sizeof(T), &v, sizeof(T));
		}
	}
}

template <space s> run_fn load_in(type t)
{
	switch (is_real(t) ? bytes_of(t) : 0) {
	case 2:
		return load_from<uint16_t, s>;
	case 4:
		return load_from<uint32_t, s>;
	case 8:
		return load_from<uint64_t, s>;
	default:
		break;
	}
	return for_integer(t, [](auto tag) -> run_fn { return load_from<typename decltype(tag)::type, s>; });
}

template <space s> run_fn store_in(type t)
{
	switch (t == type::pred || t == type::other ? 0 : bytes_of(t)) {
	case 1:
		return store_to<uint8_t, s>;
	case 2:
		return store_to<uint16_t, s>;
	case 4:
		return store_to<uint32_t, s>;
	case 8:
		return store_to<uint64_t, s>;
	default:
		return nullptr;
	}
}

// In the order of lanes, from a first one that differs where lanes are independent.
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

template <typename T> run_fn real_atomic(std::string_view name)
{
	if (name == "add")
		return atomic_with<T>([](T v, T b, T) { return v + b; });
	return nullptr;
}

} // namespace

run_fn load_op(enum space s, type t)
{
	switch (s) {
	case space::none:
		return load_in<space::none>(t);
	case space::global:
	case space::constant:
		return load_in<space::global>(t);
	case space::shared:
		return load_in<space::shared>(t);
	case space::local:
		return load_in<space::local>(t);
	case space::param:
		return load_in<space::param>(t);
	default:
		return nullptr;
	}
}

run_fn store_op(enum space s, type t)
{
	switch (s) {
	case space::none:
		return store_in<space::none>(t);
	case space::global:
		return store_in<space::global>(t);
	case space::shared:
		return store_in<space::shared>(t);
	case space::local:
		return store_in<space::local>(t);
	case space::param:
		return store_in<space::param>(t);
	default:
		return nullptr;
	}
}

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
		return real_atomic<float>(name);
	case type::f64:
		return real_atomic<double>(name);
	default:
		return nullptr;
	}
}

} // namespace het::ptx::simt
