// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Structures that cross the C boundary carry their size, so that programs and libraries of different age fit.
#pragma once

#include "os/log.h"
#include "policy/ageing.h"

#include <algorithm>
#include <cstring>
#include <het.h>

namespace het::rt
{

// Takes over what the program has filled. @first is the structure's size in the first version of the library that had
// it.
template <class T> int accept(const char *call, const T *given, T &ours, size_t first = sizeof(T))
{
	if (!given)
		return fail(HET_ENULL, "%s: null arguments", call);
	size_t size = given->size;
	if (size < first)
		return fail(HET_EARG, "%s: the structure's size is %zu, less than %zu: set it to sizeof", call, size,
			    first);
	auto *bytes = reinterpret_cast<const unsigned char *>(given);
	for (size_t i = sizeof(T); i < size; i++) {
		if (bytes[i])
			return fail(HET_EARG,
				    "%s: byte %zu of the structure is set, and this library knows %zu: the program "
				    "needs a newer libhet",
				    call, i, sizeof(T));
	}
	ours = {};
	memcpy(&ours, given, std::min(size, sizeof(T)));
	return 0;
}

// Returns 0 or HET_EARG.
inline int check_priority(const char *call, int priority)
{
	bool is_one = priority >= lowest_level && priority <= highest_level;
	return is_one ? 0
		      : fail(HET_EARG, "%s: a priority of %d: it is from %d to %d", call, priority, lowest_level,
			     highest_level);
}

// Fills what the program has made room for; its size stays.
template <class T> int give(const char *call, T *room, T ours, size_t first = sizeof(T))
{
	if (!room)
		return fail(HET_ENULL, "%s: null structure", call);
	if (room->size < first)
		return fail(HET_EARG, "%s: the structure's size is %zu, less than %zu: set it to sizeof", call,
			    room->size, first);
	ours.size = room->size;
	memcpy(room, &ours, std::min(ours.size, sizeof(T)));
	return 0;
}

} // namespace het::rt
