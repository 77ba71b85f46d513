// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// An instrumented kernel tells this of one launch (HET_INSTRUMENT).
#pragma once

#include <cstddef>
#include <het.h>

namespace het::rt
{

class launch_notes
{
      public:
	virtual ~launch_notes() = default;

	// Returns whether a byte of the device's buffer may have been written there.
	virtual bool wrote(void *buffer, size_t offset, size_t nbytes) const = 0;
	virtual het_launch_counters counters() const = 0;
	// Gives the counters of instruction @i. Returns false if there is none.
	virtual bool site(uint32_t i, het_site_counters &counted) const = 0;

	// The kernel might have written so many bytes of chunks that it did not write.
	uint64_t bytes_kept = 0;
};

} // namespace het::rt
