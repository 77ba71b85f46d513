// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Waits for the program's events, which the driver can't retain: a stream of the library's own waits for each one, so
// the program may record or destroy its event at once. Streams are used again.
#pragma once

#include "dev/cuda_api.h"
#include "os/lock.h"

namespace het
{

class cuda_events
{
      public:
	// The device's context is current in all calls but release(), which return a cu_result.
	void open(const cuda_api &cu) { cu_ = &cu; }
	void close();

	int keep(cu_event event, void **kept);
	int wait(void *kept) const;
	// cu_error_not_ready: the event has not come about.
	int look(void *kept) const;
	void release(void *kept);

      private:
	struct waiter {
		waiter *next;
		cu_stream stream;
	};
	waiter *take_free();

	const cuda_api *cu_ = nullptr;
	futex_lock lock_; // guards the list; its rank is leaf
	waiter *free_ = nullptr;
};

} // namespace het
