// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a kernel has of an array: in ranges and numbers, for callers who know nothing of arrays.
#pragma once

#include "core/range.h"

namespace het
{

// Kernels of one launch may have the same chunks (memory/joint.h). An exact one has its bytes to itself. Of a noted one
// joint_notes tell what it has written.
enum class joint_kind : uint8_t { none, exact, noted };

// Says which of the kernels with the same usage ends, if the caller knows; otherwise readers end first.
enum class ending : uint8_t { any, reader, writer };

// @part lies inside the user range; with @whole it is all of it.
struct usage {
	unsigned device;
	range part;
	bool whole = false;
	joint_kind joint = joint_kind::none;
	// This is the launch that a part of one belongs to.
	const void *launch = nullptr;
	// The host does not touch the bytes before it is told that the kernel has ended (HET_TOUCH_AFTER_WAIT).
	bool promised = false;
	// Kernels that come before it are at work on the device still: it begins only if all its bytes are there.
	bool behind = false;
	// At its begin it gets edges, and chunks that have others' bytes as well, and the rest by begin_part()
	// (memory/kernel.h).
	bool by_parts = false;
	ending ends = ending::any;
};

// What a joint writer's kernel should have of an array, if it has all these bytes of it: chunks and edges that lie in
// them are @own, which no other writes and it has by itself. @before and @behind are to be shared. Any of them may be
// empty.
struct joint_parts {
	range before, own, behind;
};

} // namespace het
