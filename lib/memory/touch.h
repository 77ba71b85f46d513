// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Serving of host touches, by resolvers and in signal handlers.
#pragma once

#include "dev/device.h"
#include "memory/array.h"
#include "trap/trap.h"

namespace het
{

enum class verdict : uint8_t {
	done,      // the access may be repeated
	not_ours,  // no watched page there (any more)
	wait,      // somebody else is at work on the chunk and will wake who waits for it
	hand_over, // the device can't be called here: a resolver must
	later,     // not beside the fetches that the server keeps: it must end them and serve the touch again
};

// The fetch of one chunk, which the device works on.
struct started_fetch {
	array *a;
	touch t;
	uint32_t chunk;
	step st;
	uint64_t started;      // when the touch was seen
	uint64_t copy_started; // start_of_copy()
	read_ticket ticket;
};

// Who serves: a resolver, or a toucher in its signal handler.
class server
{
      public:
	virtual unsigned lane() const = 0;
	virtual bool in_handler() const = 0;
	// The resolver is about to wait for a device, for a moment or longer: somebody else may have to listen.
	virtual void wait_for_device(bool long_wait) = 0;
	// A server may take fetches over, to end them with finish_fetch() in the order in which they were started, and serve
	// other touches meanwhile. has_room(): for one more from @source (a participant, the same for all), where @most may be
	// under way.
	virtual bool has_room(uint8_t, unsigned) const { return false; }
	virtual void keep(const started_fetch &) {}
	virtual unsigned kept() const { return 0; } // with the one that is being ended

      protected:
	~server() = default;
};

verdict serve(touch t, server &s);
void finish_fetch(started_fetch &f, server &s);

// touch_sink::touched_here.
bool touched_here(touch t);

} // namespace het
