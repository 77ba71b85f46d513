// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pool has a device's twins that no launch uses: memory that has been touched before is much of what a twin costs.
#pragma once

#include "dev/twin.h"
#include "evict/account.h"
#include "os/lock.h"

#include <memory>

namespace het::rt
{

class twin_pool
{
      public:
	explicit twin_pool(memory_account &account) : account_(account) {}
	// Counts a twin that the device has made; it is to be given back.
	void note_made(const device_twin &t) { account_.add(memory_kind::twins, t.room); }
	// Returns one with room for so many bytes and not much more, or null if there is none.
	std::unique_ptr<device_twin> take(size_t nbytes);
	void give_back(std::unique_ptr<device_twin> twin);
	// The device is short of memory. It is false if there were none.
	bool clear();

      private:
	static constexpr size_t most = 4;

	void destroy(std::unique_ptr<device_twin> twin);

	memory_account &account_;

	futex_lock lock_; // has rank leaf
	std::unique_ptr<device_twin> twins_[most];
	size_t next_ = 0; // is the next one to be thrown out
};

} // namespace het::rt
