// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Address ranges and page arithmetic are here. All of it is pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace het
{

// Says what a participant may do with its copy. The values are ordered: none < read < write.
enum class access : uint8_t { none, read, write };

// A range has the addresses [begin, end).
struct range {
	uintptr_t begin = 0;
	uintptr_t end = 0;

	constexpr size_t size() const { return end - begin; }
	constexpr bool empty() const { return begin >= end; }
	constexpr bool contains(uintptr_t a) const { return a >= begin && a < end; }
	constexpr bool overlaps(range o) const { return begin < o.end && o.begin < end; }
	constexpr bool covers(range o) const { return begin <= o.begin && o.end <= end; }
	constexpr bool operator==(const range &) const = default;
	void *ptr() const { return reinterpret_cast<void *>(begin); }
};

constexpr range intersect(range a, range b)
{
	range r{a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
	return r.begin < r.end ? r : range{r.begin, r.begin};
}

inline range range_of(const void *p, size_t n)
{
	auto a = reinterpret_cast<uintptr_t>(p);
	return {a, a + n};
}

constexpr uintptr_t round_down(uintptr_t a, size_t unit)
{
	return a & ~(uintptr_t{unit} - 1);
}
constexpr uintptr_t round_up(uintptr_t a, size_t unit)
{
	return round_down(a + unit - 1, unit);
}

} // namespace het
