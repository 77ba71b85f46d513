// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Serving of host touches, by resolvers and in signal handlers.
#pragma once

#include "memory/array.h"
#include "trap/trap.h"

namespace het
{

enum class verdict : uint8_t {
	done,      // the access may be repeated
	not_ours,  // no watched page there (any more)
	wait,      // somebody else is at work on the chunk and will wake who waits for it
	hand_over, // the device can't be called here: a resolver must
};

// Who serves. A resolver leads while it is the one that listens for touches; it stops leading before
// it waits for a device.
class server
{
      public:
	virtual unsigned lane() const = 0;
	virtual bool in_handler() const = 0;
	virtual void stop_leading() = 0;

      protected:
	~server() = default;
};

verdict serve(touch t, server &s);

// touch_sink::touched_here.
bool touched_here(touch t);

} // namespace het
