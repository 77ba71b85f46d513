// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Some threads are never stopped: the library's own, those which the device run-time system started between the two
// calls of gpuvm_pre_init(), and those that could not be stopped once.
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace het
{

// Implement gpuvm_pre_init(). They return 0, GPUVM_ESTATE for after without before, or GPUVM_ESALLOC.
int record_threads_before();
int record_threads_after();

// Returns whether both were called.
bool knows_drivers_threads();

// Each thread of the library's calls it when it starts.
void spare_this_thread();

// Returns false if there is no room.
bool spare_thread(pid_t tid);
bool is_spared(pid_t tid);
// Forgets those that are no more, whose numbers the kernel may give away again. Returns how many remain.
size_t prune_spared_threads();
void spared_threads_forked_child();

} // namespace het
