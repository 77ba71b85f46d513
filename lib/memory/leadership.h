// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which resolver listens for touches: one leads, one stands by, the others sleep.
//
// A leader that reads a device for one touch is away for some microseconds. Waking somebody to listen meanwhile would
// cost more than it brings, and the woken thread would take the core from the driver's threads; so the leader only
// steps out, and is there again before anybody notices. If it is not (the device is slow, or hangs), the standby takes
// the lead. A leader that knows it will be away for longer releases the lead at once.
#pragma once

#include "os/lock.h"

#include <atomic>

namespace het
{

class leadership
{
      public:
	// Becomes leader; waits for that as long as it takes. @me: 0 to 254.
	void acquire(unsigned me);
	// The leader gives up the lead, and the standby is woken.
	void release();
	// The leader says that it will be back soon, and then that it is back. False says that the lead was lost
	// meanwhile.
	void step_out();
	bool step_in(unsigned me);

      private:
	bool wait_as_standby(uint32_t seen, unsigned *quiet);

	// Bits 0 to 7 are the leader + 1, or 0. Bit 8 says that it has stepped out. The rest counts, so that nobody
	// takes a lead that was stepped out of earlier.
	std::atomic<uint32_t> word_{0};
	std::atomic<uint64_t> out_since_{0};
	// The standby sleeps until it is woken (it has seen nobody step out for a while).
	std::atomic<bool> deep_sleep_{false};
	futex_lock standby_; // who holds it stands by
};

} // namespace het
