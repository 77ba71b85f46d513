// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Host ranges as arguments get buffers here, and kernels that use them begin and end, over the memory core.
#pragma once

#include "core/links.h"
#include "memory/uses.h"
#include "sched/interval_tree.h"

#include <span>

namespace het::rt
{

// This is a command's use of host memory. @on has begun between begin and end, on devices with memory of their own.
struct range_use {
	range bytes;
	uint32_t access; // is HET_READ_ONLY...
	// It is as in struct usage of the memory core.
	joint_kind joint = joint_kind::none;
	// Another part of the launch has begun, and may have arrays until this one has ended.
	bool at_work = false;
	const void *launch = nullptr;
	// These bytes must lie in one array with @bytes, or there are none: other parts of the launch will use them
	// while this one is open, and no array can be linked anew meanwhile.
	range argument = {};
	// The host does not touch the bytes before it is told that the command has finished.
	bool promised = false;
	// Commands that it depends on are at work on the device: no byte may travel there.
	bool behind = false;
	// It gets each part of the bytes by begin_part().
	bool by_parts = false;
	kernel_use on = {};
	homecoming coming = {};
};

// Each entry becomes what commands must not share with it if one of them writes (widen_to_edges()), of arrays that are
// linked on the device. It is false if one is not, and those behind it are as before.
bool widen_linked(std::span<access_entry> entries, const het_device &d);

class pin;

// A part of a divided launch needs this besides its own uses.
struct more_uses {
	std::span<const range_use> all = {}; // must have buffers before any of the part's begins
	uint64_t beside = 0;                 // bytes that are no arrays'
	pin *pinned = nullptr;               // keeps all of them there when the part has begun
};

// Makes the bytes valid on the device, all or none. @noted says that end_ranges() may be told what was written.
outcome begin_ranges(std::span<range_use> uses, het_device &d, int *err, bool noted = false,
		     const more_uses &more = {});
// What a use by parts has of the range becomes valid on the device, where it has begun. Returns 0 or a code.
int begin_part(range_use &u, het_device &d, range part);
// The kernel has finished. @notes is null, or what is known of its writes; it is told what the host keeps for that.
int end_ranges(std::span<range_use> uses, het_device &d, launch_notes *notes = nullptr);
// The same, without notes, for the command @n. What the host is expected to touch may come home behind it, but for what
// other commands are about to write: it is true if bring_home() is to be called, or without the promise bring_later().
bool end_ranges_homeward(std::span<range_use> uses, het_device &d, const node &n, int *err);
// No lock is held.
void bring_home(std::span<range_use> uses);
// The program has been told that the command @n is over. What commands that have come since are about to write is left
// alone, and all that is left when the process ends.
void bring_later(std::span<range_use> uses, const node &n);
// The kernel will not run, or (@ran) has failed. Returns 0, or HET_EDEVICE if what it may have spoilt was nowhere else.
int abandon_ranges(std::span<range_use> uses, het_device &d, bool ran);

// This serves a launch that is split over several devices (memory/joint.h). @parts are the uses that a slice begins for
// @u; it returns how many there are.
constexpr size_t most_joint_uses = 3;
size_t cut_for_joint(const range_use &u, range_use (&parts)[most_joint_uses]);
// All joint uses of the launch that are open on the array of @u, a begun one, end. @notes is null, or what is known of
// their writes.
int end_joint_uses(range_use &u, joint_notes *notes);

// Returns where a begun use lies, or any other bytes of its array.
void *buffer_of(const range_use &u, uintptr_t at, const het_device &d, size_t *offset);

// Copies between bytes of which some are an array's, and others that are no array's: they stay valid where they are,
// and the host takes nothing from a device. Who copies waits for all that use them.
int read_in_place(range from, void *to);
int write_in_place(range to, const void *from);

// Makes the bytes valid on the host, for commands that work there.
int bring_to_host(range r, uint32_t access);
int bring_to_host(std::span<const range_use> uses);

} // namespace het::rt
