// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What differs between two copies of the same bytes, to the byte.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

namespace hetmpi
{

struct change {
	size_t at, size;
	size_t end() const { return at + size; }
};

// Changes with fewer equal bytes between them are near each other; so many bytes are compared at once.
// A group of them has no more bytes than this.
constexpr size_t near_changes = 64, largest_group = 64 << 10;

// Calls f(changes) for each group of changes that are near each other, in order of their places. No change begins or
// ends with a byte that is equal on both sides, nor has one in it. The copies may be written by others meanwhile: a
// byte is looked at twice, so what is told of as a change may be none any more.
template <typename F> void for_changes(const char *a, const char *b, size_t n, F f)
{
	std::vector<change> near;
	for (size_t at = 0; at < n; at += near_changes) {
		const size_t end = std::min(at + near_changes, n);
		if (!memcmp(a + at, b + at, end - at))
			continue;
		for (size_t i = at; i < end; i++) {
			if (a[i] == b[i])
				continue;
			if (!near.empty() &&
			    (i - near.back().end() >= near_changes || i - near.front().at >= largest_group)) {
				f(near);
				near.clear();
			}
			if (!near.empty() && i == near.back().end())
				near.back().size++;
			else
				near.push_back({i, 1});
		}
	}
	if (!near.empty())
		f(near);
}

} // namespace hetmpi
