// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Whether several launches use the same data, or data that lie so near that they leave and come together.
#pragma once

#include <cstdint>
#include <span>

namespace het::rt
{

struct used_bytes {
	uint64_t begin, end;
	unsigned launch; // whose they are
};

// Tells whether two of them, of different launches, lie in the same piece of @granule bytes. It sorts them.
bool is_shared(std::span<used_bytes> uses, uint64_t granule);

} // namespace het::rt
