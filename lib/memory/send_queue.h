// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays of which the host is done with something, for the thread that sends it.
#pragma once

#include "os/lock.h"

#include <atomic>
#include <cstdint>

namespace het
{

struct array;

class send_queue
{
      public:
	// False says that it is full: then nothing is sent ahead. It may be called anywhere, signal handlers included,
	// with signals blocked and an array's lock held.
	bool add(array &a);
	// Waits for one. One thread calls it.
	array &next();

      private:
	static constexpr uint32_t most = 64;

	array *take();

	futex_lock lock_; // of the arrays
	array *arrays_[most] = {};
	uint32_t first_ = 0, count_ = 0;
	std::atomic<uint32_t> added_{0};
	std::atomic<bool> asleep_{false};
};

} // namespace het
