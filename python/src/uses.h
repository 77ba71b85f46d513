// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a call may say of an argument besides the array itself: het.read(a), het.written(a), het.local(n).
#pragma once

#include "object.h"

#include <het.h>
#include <optional>

namespace het::python
{

// Which elements a work-item uses, as struct het_pattern, but in elements of the array.
struct pieces {
	int64_t offset;
	uint64_t step, length, count, stride;
};

struct use {
	object array;
	uint32_t access;
	std::optional<pieces> each;
};

struct local_memory {
	size_t nbytes;
};

} // namespace het::python
