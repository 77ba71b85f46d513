// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Executes loads, stores and copies.
#include "simt/decoder.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

template <space s>
place_in_memory place_at(context &c, const uop &u, const uint64_t *a, unsigned lane, unsigned n, access how)
{
	if constexpr (s == space::global)
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

// Calls @f with the space as a constant. Constants lie in global memory.
template <typename F> run_fn for_space(space s, F f)
{
	switch (s) {
	case space::none:
		return f(std::integral_constant<space, space::none>{});
	case space::global:
	case space::constant:
		return f(std::integral_constant<space, space::global>{});
	case space::shared:
		return f(std::integral_constant<space, space::shared>{});
	case space::local:
		return f(std::integral_constant<space, space::local>{});
	case space::param:
		return f(std::integral_constant<space, space::param>{});
	default:
		return nullptr;
	}
}

// Reads global memory and writes shared memory. With a mode of 1 a predicate says which lanes write zeroes, else a
// number how many bytes are not zeroed.
void copy_async(context &c, const uop &u, lanes m)
{
	const uint64_t *from = c.at(u.a), *to = c.at(u.b);
	constexpr unsigned most = 16;
	for (lanes left = m; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left)), wanted = u.element;
		if (u.mode)
			wanted = c.predicate(u.c, u.c_negated) >> l & 1 ? 0 : wanted;
		else
			wanted = std::min(wanted, unsigned(c.at(u.c)[l]));
		uint8_t bytes[most] = {}, defined[most];
		memset(defined, 1, sizeof(defined));
		bool whole = wanted == u.element;
		for (unsigned i = 0, n = whole ? wanted : 1; i < wanted; i += n) {
			place_in_memory p = c.locate_global(u, l, address_at(u, from, l) + i, n, access::read);
			if (!p.bytes)
				return;
			memcpy(bytes + i, p.bytes, n);
			if (p.defined)
				memcpy(defined + i, p.defined, n);
		}
		place_in_memory p = c.locate(u, l, space::shared, to[l], u.element, access::write);
		if (!p.bytes)
			return;
		memcpy(p.bytes, bytes, u.element);
		if (p.defined)
			memcpy(p.defined, defined, u.element);
	}
}

} // namespace

run_fn load_op(enum space s, type t)
{
	return for_space(s, [&](auto in) { return load_in<decltype(in)::value>(t); });
}

run_fn store_op(enum space s, type t)
{
	return s == space::constant ? nullptr : for_space(s, [&](auto in) { return store_in<decltype(in)::value>(t); });
}

run_fn copy_async_op()
{
	return copy_async;
}

} // namespace het::ptx::simt
