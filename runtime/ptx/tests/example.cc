// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "example.h"

#include <cmath>
#include <cstring>

namespace het::ptx::simt
{

namespace
{

template <typename T> bool close(T got, T want, double tolerance)
{
	if (tolerance == 0)
		return got == want;
	double a = double(got), b = double(want);
	return std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

template <typename T> std::string first_difference(const example::argument &a, const std::vector<uint8_t> &got)
{
	for (size_t at = 0; at + sizeof(T) <= a.want.size(); at += sizeof(T)) {
		T is, should;
		memcpy(&is, &got[at], sizeof(T));
		memcpy(&should, &a.want[at], sizeof(T));
		if (!close(is, should, a.tolerance))
			return std::to_string(is) + " instead of " + std::to_string(should) + " in place " +
			       std::to_string(at / sizeof(T));
	}
	return "";
}

} // namespace

example::example(std::string file, std::string kernel, extent grid, extent block, uint32_t shared_bytes)
    : file(std::move(file)), kernel(std::move(kernel)), grid(grid), block(block), shared_bytes(shared_bytes)
{
}

example &example::add(argument::kind_t kind, const array_view &v)
{
	auto first = static_cast<const uint8_t *>(v.bytes);
	arguments.push_back({kind, v.element, v.is_signed, {first, first + v.count * bytes_of(v.element)}});
	return *this;
}

example &example::becomes(const array_view &want, double tolerance)
{
	auto first = static_cast<const uint8_t *>(want.bytes);
	arguments.back().want.assign(first, first + want.count * bytes_of(want.element));
	arguments.back().tolerance = tolerance;
	return *this;
}

example &example::local()
{
	arguments.push_back({argument::local, type::none, false, {}});
	return *this;
}

example &example::repeats_in(order_t o)
{
	order = o;
	return *this;
}

bool example::repeats(const options &mode) const
{
	return order == any_order || (order == lockstep && !mode.independent);
}

std::string difference(const example::argument &a, const std::vector<uint8_t> &got)
{
	switch (a.element) {
	case type::u8:
		return a.is_signed ? first_difference<int8_t>(a, got) : first_difference<uint8_t>(a, got);
	case type::u16:
		return a.is_signed ? first_difference<int16_t>(a, got) : first_difference<uint16_t>(a, got);
	case type::u32:
		return a.is_signed ? first_difference<int32_t>(a, got) : first_difference<uint32_t>(a, got);
	case type::u64:
		return a.is_signed ? first_difference<int64_t>(a, got) : first_difference<uint64_t>(a, got);
	case type::f32:
		return first_difference<float>(a, got);
	default:
		return first_difference<double>(a, got);
	}
}

std::vector<example> all_examples()
{
	auto all = corpus_a(), more = corpus_b();
	all.insert(all.end(), more.begin(), more.end());
	return all;
}

} // namespace het::ptx::simt
