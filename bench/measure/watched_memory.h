// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Shared memory is under userfaultfd's write protection here, and a thread takes that away, chunk by chunk, as writes
// come. This is compared with the kernel module's SHARED chunks.
#pragma once

#include "common/owned.h"
#include "os/descriptor.h"

#include <thread>

namespace bench
{

class watched_memory
{
      public:
	// Maps it with all its pages, writable. Throws with the reason if it can't be had.
	watched_memory(size_t nbytes, size_t chunk);
	~watched_memory();
	watched_memory(const watched_memory &) = delete;
	watched_memory &operator=(const watched_memory &) = delete;

	char *data() const { return mapping_.data(); }
	size_t size() const { return mapping_.size(); }

	void protect() const { set_protection(mapping_.data(), mapping_.size(), true); }

      private:
	void watch() const;
	void set_protection(char *at, size_t nbytes, bool on) const;
	void serve() const;

	const size_t chunk_;
	het::descriptor uffd_, stop_;
	owned_mapping mapping_;
	std::thread server_;
};

} // namespace bench
