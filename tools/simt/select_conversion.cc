// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Selects cvt.
#include "simt/select.h"

#include <limits>

namespace het::ptx::simt
{

namespace
{

// The mode stands beside those of reals: it rounds to a whole number.
constexpr uint8_t mode_whole = 64;

template <typename T> T whole(T v, rounding r)
{
	switch (r) {
	case rounding::nearest:
		return std::nearbyint(v); // right, as the processor rounds to nearest here
	case rounding::zero:
		return std::trunc(v);
	case rounding::down:
		return std::floor(v);
	case rounding::up:
		return std::ceil(v);
	}
	return v;
}

// A value out of range is clamped, and NaN becomes 0.
template <typename D> D clamped_integer(double v)
{
	constexpr double above = double(std::numeric_limits<D>::max() / 2 + 1) * 2;
	if (std::isnan(v))
		return 0;
	if (v >= above)
		return std::numeric_limits<D>::max();
	return v <= double(std::numeric_limits<D>::min()) ? std::numeric_limits<D>::min() : D(v);
}

template <typename D, typename S> D clamped(S v)
{
	if (std::cmp_less(v, std::numeric_limits<D>::min()))
		return std::numeric_limits<D>::min();
	return std::cmp_greater(v, std::numeric_limits<D>::max()) ? std::numeric_limits<D>::max() : D(v);
}

template <typename S, typename D> run_fn integer_to_integer(bool sat)
{
	return sat ? lanewise([](S v) { return clamped<D>(v); }) : lanewise([](S v) { return D(v); });
}

template <typename S, typename D> void real_to_integer(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) {
		double v = to_double(get<S>(a[l]));
		if (u.mode & mode_ftz)
			v = double(flushed(float(v)));
		d[l] = put<D>(clamped_integer<D>(whole(v, rounding(u.mode & mode_rounding))));
	});
}

// Rounds in the mode asked for, from an integer or a real.
template <typename S, typename D> void to_real(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	uint64_t *d = c.at(u.d);
	rounding r = rounding(u.mode & mode_rounding);
	rounding_scope scope(u.mode & mode_whole ? rounding::nearest : r);
	for_lanes(m, [&](unsigned l) {
		D v;
		if constexpr (std::is_integral_v<S>) {
			v = D(get<S>(a[l]));
		} else {
			double from = to_double(get<S>(a[l]));
			if ((u.mode & mode_ftz) && std::is_same_v<S, float>)
				from = double(flushed(float(from)));
			v = D(u.mode & mode_whole ? whole(from, r) : from);
		}
		if ((u.mode & mode_ftz) && std::is_same_v<D, float>)
			v = flushed(v);
		d[l] = put<D>(u.mode & mode_sat ? saturated(v) : v);
	});
}

// 64-bit integers to 16 bits go through a double that keeps what was lost as its last bit.
template <typename S> double sticky(S v)
{
	if constexpr (std::is_integral_v<S> && sizeof(S) == 8) {
		uint64_t a = v < 0 ? 0 - uint64_t(v) : uint64_t(v);
		if (a >> 53)
			a = (a >> 11 | ((a & 2047) != 0)) << 11;
		return v < 0 ? -double(a) : double(a);
	} else if constexpr (std::is_integral_v<S>) {
		return double(v);
	} else {
		return to_double(v);
	}
}

template <typename S, typename D> void to_half(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	uint64_t *d = c.at(u.d);
	rounding r = rounding(u.mode & mode_rounding);
	for_lanes(m, [&](unsigned l) {
		double v = sticky(get<S>(a[l]));
		if (u.mode & mode_whole)
			v = whole(v, r);
		if (u.mode & mode_sat)
			v = saturated(v);
		if (u.mode & mode_relu)
			v = std::isnan(v) ? v : std::fmax(v, 0.0);
		d[l] = put<D>(from_double<D>(v, r));
	});
}

template <typename S, typename D> run_fn convert(bool sat)
{
	if constexpr (std::is_floating_point_v<D>)
		return to_real<S, D>;
	else if constexpr (!std::is_integral_v<D>)
		return to_half<S, D>;
	else if constexpr (std::is_integral_v<S>)
		return integer_to_integer<S, D>(sat);
	else
		return real_to_integer<S, D>;
}

run_fn conversion(type from, type to, bool sat)
{
	return for_number(from, [&](auto source) {
		return for_number(to, [&](auto result) {
			return convert<typename decltype(source)::type, typename decltype(result)::type>(sat);
		});
	});
}

// cvt.rn.f16x2.f32 d, a, b packs two numbers, with a into the upper half.
template <typename D> void pack_halves(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a), *b = c.at(u.b);
	uint64_t *d = c.at(u.d);
	rounding r = rounding(u.mode & mode_rounding);
	auto one = [&](uint64_t word) {
		double v = get<float>(word);
		return uint64_t{from_double<D>(u.mode & mode_relu && !std::isnan(v) ? std::fmax(v, 0.0) : v, r).bits};
	};
	for_lanes(m, [&](unsigned l) { d[l] = one(a[l]) << 16 | one(b[l]); });
}

} // namespace

selection select_conversion(const mnemonic &m)
{
	type to = m.type_at(0), from = m.type_at(1);
	uint8_t mode = real_mode(m);
	bool whole = m.has("rni") || m.has("rzi") || m.has("rmi") || m.has("rpi");
	if (to == type::f16x2 && from == type::f32)
		return {pack_halves<half>, "tss", mode};
	if (to == type::bf16x2 && from == type::f32)
		return {pack_halves<bfloat>, "tss", mode};
	// Without a direction a real becomes an integer by truncation.
	if (is_real(from) && !is_real(to) && !whole && !m.has("rn"))
		mode = uint8_t((mode & ~mode_rounding) | uint8_t(rounding::zero));
	return {conversion(from, to, m.has("sat")), "ts", uint8_t(mode | (whole ? mode_whole : 0))};
}

} // namespace het::ptx::simt
