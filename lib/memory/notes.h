// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What kernels tell of their writes when they have ended.
#pragma once

#include "memory/usage.h"

namespace het
{

// These are of a kernel that has an array by itself.
class write_notes
{
      public:
	// A byte of this part of the host array may have been written. It is asked once of each chunk, with the array's
	// lock held.
	virtual bool wrote(range bytes) = 0;

      protected:
	~write_notes() = default;
};

// These are of joint writers. No lock is needed; the array's may be held.
class joint_notes
{
      public:
	// Returns the range from the first to the last byte of @bytes that may have been written, or an empty one. @u
	// is as it began, and @bytes lie in its part.
	virtual range written(const usage &u, range bytes) = 0;

      protected:
	~joint_notes() = default;
};

} // namespace het
