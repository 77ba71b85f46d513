// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These move the bytes of chunks between the alias and devices, and between devices. No lock is held here, save the
// structure lock; it is the caller who keeps the chunks busy.
#pragma once

#include "core/fragments.h"
#include "memory/array.h"

#include <span>

namespace het
{

// Chunks [first, first + count) whose bytes come from the same participant.
struct chunk_run {
	uint32_t first, count;
	uint8_t from;   // participant, or each_fragments_own of one chunk
	bool via_alias; // set when the host's copy became valid on the way
	const fragments *parts;
	event how; // the step that its chunks take when the bytes are there
};

// Returns a run of chunks whose bytes are home when they are there.
inline chunk_run run_home(uint32_t first, uint32_t count, uint8_t from)
{
	return {first, count, from, false, nullptr, event::fetch};
}

// A run of bytes of one chunk.
struct byte_run {
	range bytes;
	uint8_t from;
};

inline constexpr size_t runs_at_once = 128;

// A round is what can be copied now, without waiting for other transfers. Of the runs only those that are counted are
// set: each begin of a kernel looks for some, and mostly finds none.
struct round {
	chunk_run runs[runs_at_once];
	size_t count = 0;
	size_t kept = 0; // bytes of the chunks passed that needed no copy; they have taken their step
	uint32_t next;   // where the following round starts; count == 0 and next < last: a busy chunk
};

// Collects chunks of the span that event @e makes travel, and marks them busy. With @writes a kernel that writes there
// needs them, so those that need no copy get its mark. For a reader, what the host is expected to write anew
// (@rewrites, which may be null) travels as for a writer. The caller holds the array's lock.
round next_round(array &a, layout::span s, event e, unsigned device, bool writes = false,
		 const array_history *rewrites = nullptr);

// Some chunk of the span would travel then. What is busy may, too. The caller holds the array's lock.
bool would_travel(const array &a, layout::span s, event e, unsigned device);

// Returns bytes of the body as a copy to or from the device; or those of chunks that belong to the program (the body
// may reach past them).
struct transfer piece_of(const array &a, unsigned device, range bytes);
struct transfer piece_of(const array &a, unsigned device, uint32_t first, uint32_t count);

// What a failed device may still answer is not to be trusted: returns GPUVM_EDEVALLOC, having said so.
int check_source(const array &a, const byte_run &run);

// Any failure of a device is GPUVM_EDEVALLOC here; its own words are on stderr. Copies each run to a device; from the
// alias, or from another device directly where the API can and through the alias where not. Returns 0 or
// GPUVM_EDEVALLOC.
int copy_to_device(array &a, unsigned device, std::span<chunk_run> runs);
int copy_bytes_to_device(array &a, unsigned device, std::span<const byte_run> runs);

// Copies runs from devices to the alias. @lane is the caller's own, or any_lane.
int copy_to_host(array &a, std::span<const chunk_run> runs, unsigned lane);
int copy_bytes_to_host(array &a, std::span<const byte_run> runs, unsigned lane);

// Adds to the statistics what a caller that talks to the device itself has moved to the host.
void count_to_host(const array &a, size_t bytes, uint64_t started_ns);
void count_to_device(const array &a, size_t bytes, uint64_t started_ns);
// Returns now_ns() if times are collected.
uint64_t start_of_copy(const array &a);

} // namespace het
