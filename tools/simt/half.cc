// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/half.h"

#include <cfenv>

namespace het::ptx::simt
{

double to_double(half h)
{
	int exponent = h.bits >> 10 & 31, fraction = h.bits & 1023;
	double sign = h.bits >> 15 ? -1 : 1;
	if (exponent == 31)
		return fraction ? std::nan("") : sign * HUGE_VAL;
	if (exponent == 0)
		return sign * std::ldexp(fraction, -24);
	return sign * std::ldexp(1024 + fraction, exponent - 25);
}

namespace
{

// Converts to a format with @fraction_bits after the point, exponents from @lowest and all ones at @infinity.
uint16_t narrowed(double v, rounding r, int fraction_bits, int lowest, uint16_t infinity, uint16_t nan)
{
	uint16_t sign = std::signbit(v) ? 0x8000 : 0;
	if (std::isnan(v))
		return nan;
	double a = std::fabs(v);
	bool away = r == (sign ? rounding::down : rounding::up); // away from zero
	if (std::isinf(a))
		return sign | infinity;
	if (a == 0)
		return sign;
	int exponent = std::max(std::ilogb(a), lowest);
	double scaled = std::ldexp(a, fraction_bits - exponent); // exact, as only the exponent changes
	double whole = std::floor(scaled), rest = scaled - whole;
	bool odd = std::fmod(whole, 2) != 0;
	if (r == rounding::nearest ? rest > 0.5 || (rest == 0.5 && odd) : away && rest > 0)
		whole++;
	// A fraction that became 2.0 carries into the exponent by itself.
	double unit = std::ldexp(1, fraction_bits);
	uint32_t bits = uint32_t(whole);
	if (whole >= unit)
		bits += uint32_t(exponent - lowest) << fraction_bits;
	if (bits >= infinity)
		bits = r == rounding::nearest || away ? infinity : infinity - 1;
	return uint16_t(sign | bits);
}

} // namespace

template <> half from_double<half>(double v, rounding r)
{
	return {narrowed(v, r, 10, -14, 0x7c00, 0x7fff)};
}

template <> bfloat from_double<bfloat>(double v, rounding r)
{
	return {narrowed(v, r, 7, -126, 0x7f80, 0x7fff)};
}

// The product of 16-bit numbers is exact in a double; the sum is made odd where it is not exact.
double fused_to_odd(double a, double b, double c)
{
	double p = a * b, s = p + c;
	if (!std::isfinite(s))
		return s;
	double t = s - p, error = (p - (s - t)) + (c - t);
	uint64_t bits = std::bit_cast<uint64_t>(s);
	if (error == 0 || (bits & 1))
		return s;
	// A step goes towards the exact value: one step away from zero or back.
	bool grow = (error > 0) == (s > 0);
	return std::bit_cast<double>(grow ? bits + 1 : bits - 1);
}

} // namespace het::ptx::simt
