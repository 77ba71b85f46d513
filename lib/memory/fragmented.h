// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Chunks in fragments are those few whose bytes are not all valid in the same copies; the array has a list of them.
// Callers hold the array's lock.
//
// Where joint writers meet, and at the ends of what a slice of a launch reads, bytes would travel with their chunk for
// nothing: a stencil's halo is a row or two. There a device has what it wrote and what it read. A chunk that others
// have, who touches it, and any other begin, gathers the bytes first (each_fragments_own), and the chunk is a whole one
// again.
#pragma once

#include "core/fragments.h"
#include "memory/array.h"

namespace het
{

struct fragmented_chunk {
	fragmented_chunk *next;
	uint32_t number;
	fragments bytes; // of layout::bytes_of()
};

// It is null if the chunk is not in fragments. They stay where they are while the chunk is busy.
const fragments *fragments_of(const array &a, uint32_t c);

// These are the copies of a byte of the chunk, and the place from which on bytes may have others.
struct copies_at {
	copyset valid;
	uintptr_t end;
};
copies_at copies_of(const array &a, uint32_t c, uintptr_t at);
// Calls f(bytes, copies) for bytes of the chunk that have the same.
template <typename F> void for_each_fragment(const array &a, uint32_t c, F f)
{
	range all = a.place.bytes_of(c);
	for (uintptr_t at = all.begin; at < all.end;) {
		copies_at copies = copies_of(a, c, at);
		f(range{at, copies.end}, copies.valid);
		at = copies.end;
	}
}

// Bytes of the chunk were written by the device, or copied there. The host's access is none, or is at most read. It is
// false without memory or room; nothing has changed.
bool write_fragment(array &a, uint32_t c, range bytes, unsigned device);
bool add_fragment(array &a, uint32_t c, range bytes, unsigned device);

// The device's copy of these bytes, or of the chunk, is not valid any longer; without memory nor is that of bytes
// beside these. False: of some it was the only one, and stays.
bool drop_copy(array &a, uint32_t c, range bytes, unsigned device);
bool drop_copy(array &a, uint32_t c, unsigned device);

// Bytes of the chunk are valid on lost devices alone.
bool has_lost_bytes(const array &a, uint32_t c);
// Of bytes that the host has besides, nobody else has valid copies any longer.
void leave_rest_to_host(array &a, uint32_t c);

// Returns what the protocol says of a chunk. What travels of one in fragments comes from where it is valid, byte by
// byte, also where one device has all of it: a joint writer of another launch may be at work there, and who needs its
// bytes as they were before gets them from elsewhere.
step step_of(const array &a, uint32_t c, event e, unsigned device);

// The same of chunk after chunk. Neighbours are in the same state as a rule, so it is looked up once for all of them:
// a large array has a thousand chunks.
class steps
{
      public:
	steps(const array &a, event e, unsigned device) : a_(a), event_(e), device_(device) {}
	// It is valid until the next call.
	const step &of(uint32_t c)
	{
		const chunk &ch = a_.chunks[c];
		const bool fragmented = ch.flags & chunk_fragmented;
		if (!known_ || fragmented || state_ != ch.state()) {
			step_ = step_of(a_, c, event_, device_);
			state_ = ch.state();
			known_ = !fragmented;
		}
		return step_;
	}

      private:
	const array &a_;
	const event event_;
	const unsigned device_;
	bool known_ = false;
	chunk_state state_;
	step step_ = {};
};

// The chunk takes a step of the protocol; if that changes it, its fragments are forgotten. What is sent of it ahead of
// a kernel is void. The caller holds the array's lock.
void enter(array &a, chunk &ch, chunk_state next);

// The chunk is whole again: its state says all.
void forget_fragments(array &a, uint32_t c);
void forget_all_fragments(array &a);

} // namespace het
