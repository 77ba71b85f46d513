// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The one instance of everything that the memory core shares, and whether it may be used.
#pragma once

#include "memory/address_index.h"
#include "memory/allocations.h"
#include "memory/array.h"
#include "memory/body.h"
#include "memory/context.h"
#include "memory/host_buffers.h"
#include "os/lock.h"

#include <gpuvm.h>

namespace het
{

struct library : memory_context {
	// It guards who is linked where. Its rank is structure. It is held across device calls, and never taken by
	// resolvers.
	futex_lock structure;

	// These are set by init, and constant afterwards.
	const char *trap_reason = "";
	bool sync_back = true;

	// Changes need the structure lock.
	address_index<array> arrays;
	// Changes and looks need the structure lock.
	address_index<allocation> allocations;
	host_buffers buffers;
	// The structure lock guards it; see link::arrived.
	uint64_t arrivals = 0;
	// The bytes of arrays with a buffer on each device, until that has been released.
	std::atomic<uint64_t> resident[max_devices] = {};

	// gpuvm_init() has succeeded, and this is not a forked child.
	std::atomic<bool> ready{false};
	std::atomic<bool> forked{false};
};

library &lib();

// Returns GPUVM_ESTATE with a sentence unless the library is ready in this process.
int check_ready(const char *call);

// The library's threads wait in the first until init can't fail any more and calls the second.
void wait_until_open();
void let_threads_begin();

// Takes the structure lock with signals blocked.
class structure_guard : guard
{
      public:
	explicit structure_guard(library &l) : guard(l.structure, lock_rank::structure) {}
};

} // namespace het
