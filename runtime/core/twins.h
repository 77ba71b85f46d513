// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Twins tell what the devices of a split launch have written of arguments for which nothing tells it beforehand. Each
// device has all of such an argument, as a joint writer, and a twin of it from before its first block. When all blocks
// have ended each compares the two; marks travel, and then the bytes between the first and last mark of chunks in which
// several devices have written.
#pragma once

#include "core/pooled_array.h"
#include "core/ranges.h"
#include "dev/twin.h"
#include "memory/notes.h"

#include <memory>
#include <new>

namespace het::rt
{

class twins final : public joint_notes
{
      public:
	// The twins go back to their devices.
	~twins();
	// Makes the device's twin of a use that has begun there, if it has none yet, ahead of the lane's next command.
	// One thread a device calls it. Returns 0 or a code.
	int make(const range_use &u, het_device &d, unsigned lane);
	// No block is under way on the device. Returns 0 or HET_EDEVICE.
	int compare(const het_device &d);

	range written(const usage &u, range bytes) override;

      private:
	struct twin {
		twin(het_device &d, range bytes, uintptr_t first) : device(&d), bytes(bytes), first(first) {}
		static void *operator new(size_t n, const std::nothrow_t &) noexcept { return pool().allocate(n); }
		static void operator delete(void *p, size_t n) { pool().release(p, n); }

		het_device *device;
		range bytes;     // are the argument's
		uintptr_t first; // is where the first unit is
		std::unique_ptr<device_twin> on_device;
		pooled_array<uint8_t> changed;
		std::unique_ptr<twin> next;
	};

	static int have_twin(het_device &d, size_t nbytes, std::unique_ptr<device_twin> &twin);
	twin *find(unsigned memory_number, range bytes) const;

	futex_lock lock_; // guards the list; its rank is leaf
	std::unique_ptr<twin> all_;
};

} // namespace het::rt
