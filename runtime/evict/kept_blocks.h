// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which bytes of host memory a device has copies of between launches in slices, and where. What a slice has fetched, or
// brought home, is copied to a block, and the next launch copies it from there instead of from the host.
//
// Host memory is cut into blocks, by address, and of each that is here one run of bytes is kept. Blocks have room in
// arenas, buffers of the device's, each of which goes back whole. A kept byte is equal to the host's: who changes that
// says so, by forget(), before or at any time until somebody else may use it.
//
// Launches pass over the same bytes again and again, mostly in the same order, so the block that was not used for the
// longest time is the one that is wanted next. Therefore a block that is kept stays, others are not taken in when there
// is no room, and only what many launches have not used makes room. That fetches as little, in any order of
// the slices, as an order that turns round would.
//
// Any thread may call this at any time. It calls nobody, and is quick.
#pragma once

#include "core/range.h"
#include "os/lock.h"

namespace het::rt
{

// These bytes are, or are about to be, at this place of a buffer of the device's. Whoever has it keeps the place there.
struct kept_part {
	range bytes = {};
	void *buffer = nullptr;
	uint64_t offset = 0;
	unsigned block = 0;
};

class kept_blocks
{
      public:
	static constexpr unsigned most_arenas = 64, blocks_of_arena = 4;
	// A block goes when so many launches have not used it, and others need its room.
	static constexpr uint64_t most_age = 16;

	void next_launch();

	// Finds the first bytes of @r that are kept. They are the caller's to read until let_go(). It is false if there
	// are none.
	bool find(range r, kept_part &found);
	void let_go(const kept_part &p);

	// The first bytes of @r are about to be copied there: @to says which, those in one block. Nobody finds them
	// before end_fill(). It is false if there is no room for them, of which @to.bytes tells all the same; if any of
	// them were kept they are so no longer.
	bool begin_fill(range r, kept_part &to);
	// With @ok they are there, and are kept unless they were forgotten meanwhile.
	void end_fill(const kept_part &to, bool ok);

	// These bytes change, or have changed.
	void forget(range r);

	// Returns how large an arena should be that is added now, for such a budget, or 0 if there are too many.
	uint64_t arena_bytes(uint64_t budget);
	// It has that size. It is false if there are too many.
	bool add_arena(void *buffer, uint64_t nbytes);
	// Takes away an arena of which nobody has a part, the one with least in it, for good. Returns its buffer, or
	// null if there is none.
	void *take_arena(uint64_t *nbytes);

      private:
	struct block {
		uintptr_t number = 0;    // its first byte, in blocks
		range kept = {};         // may be empty
		range filled = {};       // is being filled, unless it was forgotten meanwhile
		bool is_filling = false; // somebody has that place
		unsigned readers = 0;    // so many have parts
		uint64_t used = 0;       // by the launch of this number
		bool is_free() const { return kept.empty() && !is_filling && !readers; }
		bool is_in_use() const { return is_filling || readers; }
	};
	struct arena {
		void *buffer = nullptr; // null: there is none
		block blocks[blocks_of_arena] = {};
	};

	block &block_at(unsigned i) { return arenas_[i / blocks_of_arena].blocks[i % blocks_of_arena]; }
	bool is_there(unsigned i) const { return arenas_[i / blocks_of_arena].buffer; }
	range first_block_of(range r) const;
	unsigned find_block(uintptr_t number);
	unsigned find_room();
	bool fits(const block &b, range r) const;
	kept_part part_of(unsigned i, range bytes) const;
	void cut(block &b, range r);

	futex_lock lock_; // has rank leaf
	arena arenas_[most_arenas];
	unsigned narenas_ = 0;
	unsigned bits_ = 0; // a block has 1 << bits_ bytes
	uint64_t launch_ = 0;
};

} // namespace het::rt
