// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Represents 16-bit floating-point numbers, binary16 and bfloat16, as bits, with conversions that round once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace het::ptx::simt
{

struct half {
	uint16_t bits;
};

struct bfloat {
	uint16_t bits;
};

// Results are rounded in one of these directions.
enum class rounding : uint8_t { nearest, zero, down, up };

double to_double(half h);
inline double to_double(bfloat b)
{
	return std::bit_cast<float>(uint32_t{b.bits} << 16);
}
inline double to_double(float f)
{
	return f;
}
inline double to_double(double d)
{
	return d;
}

template <typename T> inline constexpr double smallest_normal = 0x1p-14;
template <> inline constexpr double smallest_normal<bfloat> = 0x1p-126;

// With @ftz subnormal numbers count as zero.
template <typename T> double to_double(T h, bool ftz)
{
	double v = to_double(h);
	return ftz && std::fabs(v) < smallest_normal<T> ? std::copysign(0.0, v) : v;
}

template <typename T> T from_double(double v, rounding r = rounding::nearest);
template <> half from_double<half>(double v, rounding r);
template <> bfloat from_double<bfloat>(double v, rounding r);

// Returns the exact a * b + c with the last bit "sticky", so that a second rounding to 16 bits is the only one that
// counts.
double fused_to_odd(double a, double b, double c);

} // namespace het::ptx::simt
