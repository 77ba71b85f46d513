// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The one instance of everything that the memory core shares, and whether it may be used.
#pragma once

#include "core/coherence.h"
#include "dev/device.h"
#include "memory/address_index.h"
#include "memory/array.h"
#include "memory/extents.h"
#include "memory/stats.h"
#include "os/lock.h"
#include "os/page_source.h"
#include "trap/trap.h"

#include <gpuvm.h>
#include <memory>

namespace het
{

// A part of the page source, in use.
struct part {
	uint64_t offset;
	const write_counter *host_writes;
};

struct library {
	// Who is linked where. Rank: structure. Held across device calls, never taken by resolvers.
	futex_lock structure;

	// Set by init, constant afterwards.
	unsigned ndevs = 0;
	std::unique_ptr<device> devices[max_devices];
	std::unique_ptr<trap> catcher;
	const char *trap_reason = "";
	coherence_rules rules;
	bool strict = false;
	bool sync_back = true;
	bool timed = false;
	page_source *source = nullptr;

	// Parts of the page source, and of its huge part. Structure lock. release_space() gives the pages back too.
	extents space, huge_space;
	bool allocate_space(size_t n, size_t align, const page_use &use, part *p);
	void release_space(uint64_t offset, size_t n);
	// Bytes that can be mapped and taken away at once.
	size_t page_of(const part &p) const;

	address_index<array> arrays;
	// Devices that have failed for good (memory/lost.h).
	std::atomic<copyset> lost{0};
	statistics stats;

	// gpuvm_init() has succeeded, and this is not a forked child.
	std::atomic<bool> ready{false};
	std::atomic<bool> forked{false};
};

library &lib();

// GPUVM_ESTATE with a sentence unless the library is ready in this process.
int check_ready(const char *call);

// The library's threads wait in the first until init can't fail any more and calls the second.
void wait_until_open();
void let_threads_begin();

// Where bytes of the body lie in the page source.
inline pages pages_of(const array &a, range r)
{
	return {r, a.offset + (r.begin - a.place.body.begin)};
}
inline pages pages_of(const array &a, uint32_t first, uint32_t count)
{
	return pages_of(a, a.place.chunk_range(first, count));
}
inline pages body_of(const array &a)
{
	return {a.place.body, a.offset};
}

// The second address of a byte of the body.
inline char *alias_of(const array &a, uintptr_t at)
{
	return lib().source->alias(a.offset + (at - a.place.body.begin));
}

// Takes the structure lock with signals blocked.
class structure_guard : guard
{
      public:
	structure_guard() : guard(lib().structure, lock_rank::structure) {}
};

} // namespace het
