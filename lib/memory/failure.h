// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What happens when a device fails, and how the program hears of what no call can return.
#pragma once

#include <cstdint>
#include <gpuvm.h>

namespace het
{

struct array;
struct memory_context;

// The primary raises SIGBUS in the chunk from now on, and those who wait there get it. The caller holds the array's
// lock.
void fail_chunk(array &a, uint32_t c);
// Undoes fail_chunk(): the chunk is watched again. The caller holds the array's lock. Returns 0 or GPUVM_EPROT.
int heal_chunk(array &a, uint32_t c);

// Queues a message for the error callback, remembers it for gpuvm_stat(), prints it. Resolvers may call it, with locks
// held. The callback runs on the library's attendant thread.
void report(int code, void *hostptr, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

void set_error_callback(gpuvm_error_fn fn, void *arg);
const char *last_failure();
// Returns how many failures have been reported.
uint64_t failure_count();

// Marks a device call of a resolver as under way while it lives: one that takes longer than GPUVM_WATCHDOG seconds
// is reported with the array's address and the reasons that come to mind.
class watched_call
{
      public:
	watched_call(unsigned lane, void *hostptr);
	~watched_call();
	watched_call(const watched_call &) = delete;
	watched_call &operator=(const watched_call &) = delete;

      private:
	unsigned lane_;
};

// The thread that runs callbacks and watches calls, and how long the context's trap stops threads. Init calls it once.
// It is false if no thread could be had.
bool start_attendant(memory_context &context);

} // namespace het
