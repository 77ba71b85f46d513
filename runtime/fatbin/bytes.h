// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads bytes of unknown origin, and says what is wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace het::fatbin
{

using bytes = std::span<const std::byte>;

// Copies a structure out, which need not be aligned. Returns false if the structure is not inside.
template <class T> bool load(bytes from, uint64_t offset, T &to)
{
	if (offset > from.size() || from.size() - offset < sizeof(T))
		return false;
	memcpy(&to, from.data() + offset, sizeof(T));
	return true;
}

// Cuts a part out. Returns false, and an empty part, if it is not inside.
inline bool cut(bytes from, uint64_t offset, uint64_t size, bytes &to)
{
	bool inside = offset <= from.size() && size <= from.size() - offset;
	to = inside ? from.subspan(offset, size) : bytes{};
	return inside;
}

// A fault is a sentence with cause and cure.
struct fault {
	char text[240] = "";

	// Returns false, so that a reader can say: return why.say("...", ...).
	bool say(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

} // namespace het::fatbin
