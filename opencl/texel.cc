// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace hetcl
{

namespace
{

// Returns which components of a colour the channels are, in their order in memory.
std::vector<unsigned> components_of(cl_channel_order order)
{
	switch (order) {
	case CL_A:
		return {3};
	case CL_RG:
		return {0, 1};
	case CL_RA:
		return {0, 3};
	case CL_RGBA:
		return {0, 1, 2, 3};
	case CL_BGRA:
		return {2, 1, 0, 3};
	case CL_ARGB:
		return {3, 0, 1, 2};
	default: // one channel: R, and what is the same as it
		return {0};
	}
}

template <class T> void put(std::vector<char> &to, T value)
{
	const auto *bytes = reinterpret_cast<const char *>(&value);
	to.insert(to.end(), bytes, bytes + sizeof(value));
}

// Fixed point, to the nearest value, even ones where two are as near. What is no number is 0.
template <class T> T fixed(float value)
{
	constexpr auto most = float(std::numeric_limits<T>::max());
	constexpr auto least = float(std::numeric_limits<T>::min());
	return std::isnan(value) ? T{0} : T(std::nearbyint(std::clamp(value * most, least, most)));
}

// Rounds to the nearest value, even ones where two are as near.
uint16_t half(float value)
{
	constexpr uint32_t infinite = 0x7c00, quiet = 0x0200, too_large = 0x477ff000, least_normal = 0x38800000;
	const auto bits = std::bit_cast<uint32_t>(value);
	const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
	if (std::isnan(value))
		return uint16_t(sign | infinite | quiet);
	if (size >= too_large)
		return uint16_t(sign | infinite);
	if (size < least_normal) // counts multiples of the least of all
		return uint16_t(sign | uint32_t(std::nearbyint(std::ldexp(std::fabs(value), 24))));
	const uint32_t rebased = size - (112u << 23);
	return uint16_t(sign | (rebased + 0xfff + (rebased >> 13 & 1)) >> 13);
}

template <class T, class V> T saturated(V value)
{
	return T(std::clamp<V>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// Puts one component of a colour behind what is there.
void put_channel(std::vector<char> &to, cl_channel_type type, const void *component)
{
	float real = 0;
	int32_t whole = 0;
	uint32_t natural = 0;
	memcpy(&real, component, sizeof(real));
	memcpy(&whole, component, sizeof(whole));
	memcpy(&natural, component, sizeof(natural));
	switch (type) {
	case CL_UNORM_INT8:
		return put(to, fixed<uint8_t>(real));
	case CL_UNORM_INT16:
		return put(to, fixed<uint16_t>(real));
	case CL_SNORM_INT8:
		return put(to, fixed<int8_t>(real));
	case CL_SNORM_INT16:
		return put(to, fixed<int16_t>(real));
	case CL_SIGNED_INT8:
		return put(to, saturated<int8_t>(whole));
	case CL_SIGNED_INT16:
		return put(to, saturated<int16_t>(whole));
	case CL_UNSIGNED_INT8:
		return put(to, saturated<uint8_t>(natural));
	case CL_UNSIGNED_INT16:
		return put(to, saturated<uint16_t>(natural));
	case CL_HALF_FLOAT:
		return put(to, half(real));
	default: // 32 bits are taken as they are
		return put(to, natural);
	}
}

} // namespace

std::vector<char> texel_of(const cl_image_format &f, const void *color)
{
	std::vector<char> texel;
	for (unsigned c : components_of(f.image_channel_order))
		put_channel(texel, f.image_channel_data_type, static_cast<const char *>(color) + 4 * size_t{c});
	return texel;
}

} // namespace hetcl
