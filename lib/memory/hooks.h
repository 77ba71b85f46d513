// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the interposers (lib/api/interpose_*.cc) and the runtime need of the memory core. It is cheap when nothing is
// linked.
#pragma once

#include "core/coherence.h"

namespace het
{

// It is false while no array is linked at all, and costs one or two loads.
bool anything_linked();

// True if any linked array has a byte in [p, p + n). It takes no lock and may be called anywhere.
bool is_linked(const void *p, size_t n);

// Makes every linked byte in [p, p + n) valid and mapped on the host: readable, or writable with the host as the only
// owner. It is for calls in which a driver would touch the range while it holds a lock that a fetch needs. Errors are
// reported; the caller goes on in any case.
void bring_home(const void *p, size_t n, access to);

// Makes every linked byte in @r valid and shows its chunks, as touches (touch_read or touch_write) of each would.
// Returns 0, GPUVM_EDEVALLOC or GPUVM_EPROT.
int show_linked(range r, event e);

// What is about to happen to memory that may hold linked arrays.
enum class fate : uint8_t {
	freed,    // an allocation is freed: all of every array found is dead
	unmapped, // what is inside the range is dead, and only that
	moved,    // the contents are still wanted
};

// Removes every link of every array that has a byte in [p, p + n) and gives the pages back as private memory, contents
// brought home as far as they are wanted. Reports GPUVM_ESTATE through the error callback, naming @call.
void forget_memory(const void *p, size_t n, fate f, const char *call);

// Is told, with no lock held, of each array that forget_memory() is about to unlink: the runtime's commands that use it
// must be over when it returns.
using forget_watcher = void (*)(range array);
void set_forget_watcher(forget_watcher w);

// Is told of a byte that somebody has touched who has to wait for a kernel. It is called with an array's lock held,
// perhaps in a signal handler.
using touch_watcher = void (*)(uintptr_t at);
void set_touch_watcher(touch_watcher w);

} // namespace het
