// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One thread at a time makes arrays of host ranges, and decides which of them have buffers on devices.
#pragma once

namespace het::rt
{

// Holds a lock of rank ranges.
class linking_guard
{
      public:
	linking_guard();
	~linking_guard();
	linking_guard(const linking_guard &) = delete;
	linking_guard &operator=(const linking_guard &) = delete;
};

} // namespace het::rt
