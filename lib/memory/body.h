// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Where bytes of an array's body lie in the page source, and in the alias.
#pragma once

#include "memory/array.h"
#include "memory/context.h"

namespace het
{

inline pages pages_of(const array &a, range r)
{
	return {r, a.offset + (r.begin - a.place.body.begin)};
}
inline pages pages_of(const array &a, uint32_t first, uint32_t count)
{
	return pages_of(a, a.place.chunk_range(first, count));
}
inline pages body_of(const array &a)
{
	return {a.place.body, a.offset};
}

// The second address of a byte of the body.
inline char *alias_of(const array &a, uintptr_t at)
{
	return a.context->source->alias(a.offset + (at - a.place.body.begin));
}

} // namespace het
