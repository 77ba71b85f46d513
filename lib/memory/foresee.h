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
// In strict mode a page that the host has must not change before the program knows that the kernel has ended. So there
// only those who have promised not to touch it sooner (usage::promised) have anything foreseen: the kernel is over,
// for other kernels, as soon as it is known what comes home. That is brought behind it, with no bracket open, and then
// the program is told. Meanwhile a chunk that is expected to be read is one that its device has valid, and that kernels
// there may read.
#pragma once

#include "memory/array.h"
#include "memory/usage.h"

#include <span>

namespace het
{

// A touch has been served: chunks are shown. Lock held.
void note_touch(array &a, layout::span s, bool write);

// Neighbours that take the same step (foresee_read or foresee_write).
struct foreseen_run {
	uint32_t first, count;
	event how;
};

// Chunks of a kernel that has ended, on their way home. Until bring_foreseen() they are busy, and the array has one
// visitor more.
struct foreseen_chunks {
	array *in = nullptr; // null: there are none
	foreseen_run *runs = nullptr;
	uint32_t count = 0;
	unsigned device = 0;

	std::span<const foreseen_run> all() const { return {runs, count}; }
};

// What may come home when a kernel has ended.
struct homeward {
	bool may = false;
	// Other kernels are about to write these bytes: their chunks are left alone.
	std::span<const range> except = {};
	// In strict mode: receives what the caller is to bring. Nothing is foreseen there if it is null.
	foreseen_chunks *behind = nullptr;
};

// The chunks of a kernel that has ended: those that are expected come home, the others go to the device. Lock held, but
// dropped meanwhile, unless they come home behind the kernel; no chunk is busy and no kernel pending. 0, or as
// give_to_device().
int give_or_foresee(array &a, array_guard &g, const usage &u, const homeward &how);
// Brings what give_or_foresee() has left to the caller, who holds no lock.
void bring_foreseen(const foreseen_chunks &f);

// Another end of a kernel that owns everything, of the whole array, with no touch since the one before. False: it must
// be looked at, as something may be expected. Needs no lock.
bool passes_unseen(array &a);

// What is known of the array goes with its chunks. Lock held, or not live.
void forget_touches(array &a);

} // namespace het
