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

// Who serves: a resolver, or a toucher in its signal handler.
class server
{
      public:
	virtual unsigned lane() const = 0;
	virtual bool in_handler() const = 0;
	// The resolver is about to wait for a device, for a moment or longer: somebody else may have to listen.
	virtual void wait_for_device(bool long_wait) = 0;

      protected:
	~server() = default;
};

verdict serve(touch t, server &s);

// touch_sink::touched_here.
bool touched_here(touch t);

} // namespace het
