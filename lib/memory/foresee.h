// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The end of a kernel brings home what the host is expected to touch (core/foresight.h), and leaves those pages where
// they are.
//
// Only the end of a kernel that has finished does so, with nobody else at work on the array: of kernels that overlap
// the last one. Chunks that have failed, are in fragments or joint are left alone. A chunk keeps its pages, at most
// read-only if it is expected to be read, while its bytes come home; it is busy, so whoever is caught there waits. If
// they do not come, it is taken away as all others are, before the end returns: its device owns it, and a touch tries
// again.
//
// In strict mode a page that the host has must not change before the program knows that the kernel has ended. So pages
// stay where they are for those alone who have promised not to touch them sooner (usage::promised): the kernel is over,
// for other kernels, as soon as it is known what comes home. That is brought behind it, with no bracket open, and then
// the program is told. Meanwhile a chunk that is expected to be read is one that its device has valid, and that kernels
// there may read. Without the promise the pages were taken at the begin, the program is told at once, and the end
// leaves a list to memory/prefetch.h.
#pragma once

#include "memory/array.h"
#include "memory/foreseen.h"
#include "memory/usage.h"

namespace het
{

// What may come home when a kernel has ended.
struct homeward {
	bool may = false;
	bytes_soon soon = {};
	// In strict mode: receives what the caller is to bring. Nothing is foreseen there if it is null.
	foreseen_chunks *behind = nullptr;
};

// The chunks of a kernel that has ended: those that are expected come home, the others go to the device. Lock held, but
// dropped meanwhile, unless they come home behind the kernel; no chunk is busy and no kernel pending. 0, or as
// give_to_device().
int give_or_foresee(array &a, array_guard &g, const usage &u, const homeward &how);
// Brings what give_or_foresee() has reserved for the caller, who holds no lock.
void bring_foreseen(const foreseen_chunks &f);

// Copies busy chunks home, at most runs_at_once; the watchdog knows. No lock is held. Returns 0 or GPUVM_EDEVALLOC.
int copy_foreseen(array &a, std::span<const foreseen_run> runs, unsigned device);
// What prefetch() does with busy chunks whose bytes have come: it shows them, and lets them go. Lock held, but dropped
// meanwhile.
void show_foreseen(array &a, array_guard &g, const foreseen_run &run, unsigned device);
// What it tells of its copies, and of chunks that it left to others. Lock held.
void note_foreseen_copy(array &a, size_t bytes, uint64_t ns);
// Returns whether the last end of a kernel that wrote the chunk expects a touch. Lock held.
bool is_still_expected(const array &a, uint32_t c);
void note_not_foreseen(array &a, const foreseen_chunks &f, uint32_t c);

// Another end of a kernel that owns everything, of the whole array, with no touch since the one before. False: it must
// be looked at, as something may be expected. Needs no lock.
bool passes_unseen(array &a);

} // namespace het
