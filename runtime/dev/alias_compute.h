// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This stands for host memory that launches work on although it is not shown to the host meanwhile. To the memory core
// it is a device like others: who works there has the bytes, the host loses what is written there until it has ended,
// and other devices get them from it. But its copy of an array's body is the library's own second mapping of the same
// pages, so nothing is copied on the way to it or back, but for bytes that are kept elsewhere. Its buffers hold the
// edges alone, in their places: memory of theirs that nobody touches takes none.
//
// It runs nothing, and is no device of the program's.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

// Who keeps bytes of its elsewhere is told, and asked, in any thread.
class host_memory_keeper
{
      public:
	virtual ~host_memory_keeper() = default;
	// Bytes of a buffer have become valid there, and are perhaps not what they were when they had been so before.
	// Locks of the memory core may be held.
	virtual void changed(range in_buffer) = 0;
	// A buffer is about to go, and another one may get its address. As above.
	virtual void gone(range buffer) = 0;
	// They have, as changed() has told, and are now those at @now. It need not be called if has_none() was true
	// before changed(). No lock that a touch may wait for is held, and @lane is the caller's. It returns 0 or a
	// code of the memory core's.
	virtual int change(range in_buffer, char *now, unsigned lane) = 0;
	// These bytes of the buffer at @buffer shall be at @to. As above.
	virtual int bring(void *buffer, range in_buffer, char *to, unsigned lane) = 0;
	// No byte is kept elsewhere that is nowhere else.
	virtual bool has_none() = 0;
};

// Returns null if there is no memory. The keeper lives as long.
std::unique_ptr<compute_device> make_alias_compute(host_memory_keeper &keeper);

} // namespace het::rt
