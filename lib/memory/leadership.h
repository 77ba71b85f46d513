// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which resolver listens for touches: one leads, one stands by, the others sleep until they are called.
//
// A leader that reads a device for one touch is away for some microseconds. Waking somebody to listen meanwhile would
// cost more than it brings, and the woken thread would take the core from the driver's threads; so the leader only
// steps out, and is there again before anybody notices. If it is not (the device is slow, or hangs), the standby takes
// the lead. A leader that knows it will be away for longer releases the lead at once.
//
// Where more touches come at once than one resolver serves soon, any resolver calls a sleeping one to help. Who helps
// takes touches beside the leader as long as there are some. Calls are hints: one that comes at the wrong moment is
// forgotten, and nobody waits for a helper.
#pragma once

#include "os/lock.h"

#include <atomic>

namespace het
{

class leadership
{
      public:
	static constexpr unsigned most_members = 32;

	// Waits to become leader, as long as it takes. Returns false if it was called to help instead. @me is below
	// most_members.
	bool acquire(unsigned me);
	// The leader gives up the lead, and the standby is woken.
	void release();
	// The leader says that it will be back soon, and then that it is back. False says that the lead was lost
	// meanwhile.
	void step_out();
	bool step_in(unsigned me);
	// Wakes one who sleeps, and is not the standby, to help. Returns false if there is none.
	bool call_help() { return ring(help); }

      private:
	enum call : uint32_t { silent, stand_by, help };

	bool take_place(unsigned me);
	bool wait_as_standby(uint32_t seen, unsigned *quiet);
	bool ring(call what);

	// Bits 0 to 7 are the leader + 1, or 0. Bit 8 says that it has stepped out. The rest counts, so that nobody
	// takes a lead that was stepped out of earlier.
	std::atomic<uint32_t> word_{0};
	std::atomic<uint64_t> out_since_{0};
	// The standby sleeps until it is woken (it has seen nobody step out for a while).
	std::atomic<bool> deep_sleep_{false};
	futex_lock standby_; // who holds it stands by
	// Bit n says that member n sleeps on its bell. Who clears the bit rings it.
	std::atomic<uint32_t> asleep_{0};
	std::atomic<uint32_t> bells_[most_members] = {};
};

} // namespace het
