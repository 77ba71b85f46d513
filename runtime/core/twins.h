// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the devices of a split launch have written of arguments for which nothing tells it beforehand. Each device has
// all of such an argument, as a joint writer, and a twin of it from before its first block. When all blocks have ended
// each compares the two; marks travel, and then the bytes between the first and last mark of chunks in which several
// devices have written.
#pragma once

#include "core/ranges.h"
#include "dev/twin.h"
#include "memory/notes.h"

#include <memory>

namespace het::rt
{

class twins final : public joint_notes
{
      public:
	// The twins go back to their devices.
	~twins();
	// The device's twin of a use that has begun there, if it has none yet. One thread a device. 0 or a code.
	int make(const range_use &u, het_device &d);
	// No block is under way on the device. 0 or HET_EDEVICE.
	int compare(const het_device &d);

	range written(const usage &u, range bytes) override;

      private:
	struct twin {
		het_device *device;
		range bytes;     // of the argument
		uintptr_t first; // what the first unit is of
		std::unique_ptr<device_twin> on_device;
		std::unique_ptr<uint8_t[]> changed;
		std::unique_ptr<twin> next;
	};

	twin *find(unsigned memory_number, range bytes) const;

	futex_lock lock_; // of the list; rank leaf
	std::unique_ptr<twin> all_;
};

} // namespace het::rt
