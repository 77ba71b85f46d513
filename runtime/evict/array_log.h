// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says whose bytes are worth keeping on a device between launches in slices: those of arrays that several launches use,
// unless what was kept of them turned out to be of no use, as where the host writes them each time. Such an array is
// left alone for some launches, then for twice as many, and so on. In the same way it says whose bytes are worth
// staying away from the host when they are written. Any thread may call this at any time.
#pragma once

#include "core/range.h"
#include "os/lock.h"

#include <cstddef>
#include <cstdint>

namespace het::rt
{

// What was of no use rests for some launches, the next time for twice as many, and so on.
class rest_period
{
      public:
	static constexpr unsigned first = 8, most = 64; // launches

	// A launch begins. Returns whether it is one of them.
	bool goes_on() { return left_ && left_--; }
	// It begins with this launch.
	void begin();
	// The next one is short, as something was of use.
	void shorten() { next_ = first; }

      private:
	unsigned left_ = 0, next_ = first;
};

class array_log
{
      public:
	static constexpr size_t most = 64;    // arrays; of more, the one that was used last longest ago is forgotten
	static constexpr unsigned trials = 4; // launches without use of what was kept before it is left alone

	// Launches that have begun used it.
	bool knows(uintptr_t array) const;
	// A launch begins that uses so many bytes of the array. Returns whether they are to be kept.
	bool use(uintptr_t array, uint64_t nbytes);
	// So many bytes of it were kept, or were of use.
	void note_kept(uintptr_t array, uint64_t nbytes);
	void note_used(uintptr_t array, uint64_t nbytes);
	// The launch writes the array. Returns whether that is to stay on the device, and not to go home with the
	// launch: it is so unless half of what did so came home before it was written again.
	bool writes(uintptr_t array);
	// So many bytes stayed there, or have come home.
	void note_away(uintptr_t array, uint64_t nbytes);
	void note_home(uintptr_t array, uint64_t nbytes);
	// Arrays that are named by addresses of these are no more: others may come to have their names.
	void forget(range names);
	// Returns the bytes of all arrays that were to be kept of late.
	uint64_t wanted() const;

      private:
	struct entry {
		uintptr_t array = 0;
		uint64_t last = 0; // use of the log; 0: there is no such entry
		uint64_t nbytes = 0;
		bool is_kept = false;
		uint64_t kept = 0;     // bytes since they were of use
		unsigned launches = 0; // since then, once there were any
		rest_period from_keeping;
		uint64_t away = 0, home = 0; // since the last launch that wrote it
		rest_period from_staying_away;
	};
	entry *find(uintptr_t array);
	bool decide(entry &e);

	mutable futex_lock lock_; // has rank leaf
	entry entries_[most];
	uint64_t uses_ = 0;
};

} // namespace het::rt
