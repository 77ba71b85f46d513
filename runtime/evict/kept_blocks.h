// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which bytes of host memory a device has copies of between launches in slices, and where. What a slice has fetched, or
// brought home, is copied to a block, and the next launch copies it from there instead of from the host.
//
// Host memory is cut into blocks, by address, and of each that is here one run of bytes is kept. Blocks have room in
// arenas, buffers of the device's, each of which goes back whole. A kept byte is equal to the host's: who changes that
// says so, by forget(), before or at any time until somebody else may use it.
//
// A part of the run, again a run, may be away from home: what a slice has written was copied to the block, and not to
// the host. Where host memory counts as having such a byte, the block has it, and the host's may be of before. Where it
// does not, the byte in the block means nothing. So a byte may be called away although it has come home since; never is
// one called at home that has not. A block with such bytes keeps its room until they have come home.
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

#include <atomic>

namespace het::rt
{

// These bytes are, or are about to be, at this place of a buffer of the device's. Whoever has it keeps the place there.
struct kept_part {
	range bytes = {};
	void *buffer = nullptr;
	uint64_t offset = 0;
	unsigned block = 0;
	bool pinned = false;    // goes for the host's memory of bytes that are away
	bool only_copy = false; // some of the bytes are away
	uint64_t changes = 0;
};

// Bytes that are away from home, as they are known at one moment.
struct away_run {
	range bytes = {};
	uintptr_t to_user = 0; // is added to an address for the one that the program knows
	unsigned block = 0;
	uint64_t changes = 0;
};

enum class overwriting : uint8_t {
	begun,
	refused, // the bytes are to go home, and to be filled or forgotten here
	later,   // somebody fills the block, which has some of the bytes, and ends soon
};

class kept_blocks
{
      public:
	static constexpr unsigned most_arenas = 64, blocks_of_arena = 4;
	// A block goes when so many launches have not used it, and others need its room.
	static constexpr uint64_t most_age = 16;

	void next_launch();

	// Finds the first bytes of @r that are kept. They are the caller's to read until let_go(). It is false if there
	// are none. Of what is spoilt there is no buffer.
	bool find(range r, kept_part &found);
	void let_go(const kept_part &p);

	// The first bytes of @r are about to be copied there: @to says which, those in one block. Nobody finds them
	// before end_fill(). It is false if there is no room for them, of which @to.bytes tells all the same; if any of
	// them were kept they are so no longer.
	bool begin_fill(range r, kept_part &to);
	// With @ok they are there, and are kept unless they were forgotten meanwhile.
	void end_fill(const kept_part &to, bool ok);

	// These bytes change, or have changed. Of what is away more bytes than these may be so on both sides: there
	// they stay, and are to be changed (find_inside()).
	void forget(range r);

	// The first bytes of @r, which a slice has written, are about to be copied to a block and not to the host: @to
	// says which and where, and whether some are away already. @pinned goes for the host's memory of them.
	// With @only_again this begins for what is away already alone.
	overwriting begin_overwrite(range r, uintptr_t to_user, bool pinned, bool only_again, kept_part &to);
	// With @ok they are there, and are away from home if it returns true. If they are not there, and some had been
	// away, the run that these are part of counts as spoilt.
	bool end_overwrite(const kept_part &to, bool ok);
	// Waits until somebody has filled a block since it was asked the first time.
	uint32_t fills() const { return fills_.load(); }
	void wait_for_fill(uint32_t seen);

	// Finds the first bytes of @r that are away, or those whose run goes on before and behind @r. They are the
	// caller's to copy until let_go(). Of what is spoilt there is no buffer. find_inside() forgets what is not so.
	bool find_away(range r, kept_part &found);
	bool find_inside(range r, kept_part &found);
	// What find_away() has found is at home now, unless it has changed since. Amid others it counts as away still.
	void has_come(const kept_part &p);
	// Finds a run that has some bytes of these, which are named as the program does; or one in a block that nobody
	// uses: of the arena that should go first, or of those that many launches have not used, the first one that is
	// in no block before @from.
	bool find_run(range user, away_run &found);
	bool find_run_to_go(away_run &found);
	bool find_old_run(unsigned from, away_run &found);
	// The run has come home, or means nothing any longer. It is false if it has changed since it was found, and
	// then @r is what is left of it.
	bool come_home(away_run &r);
	// The run could not come home. It stays, and nobody shall wait for that.
	void give_up(const away_run &r);
	// Returns how many bytes count as away.
	uint64_t bytes_away();
	// Nothing is away, which is quick to know.
	bool is_all_home() const { return naway_.load() == 0; }
	// Something is away that would have to come home for an arena to go, and that can.
	bool may_bring();

	// Returns how large an arena should be that is added now, for such a budget, or 0 if there are too many.
	uint64_t arena_bytes(uint64_t budget);
	// It has that size. It is false if there are too many.
	bool add_arena(void *buffer, uint64_t nbytes);
	// Takes away an arena of which nobody has a part and nothing is away, the one with least in it, for good.
	// Returns its buffer, or null if there is none.
	void *take_arena(uint64_t *nbytes);

      private:
	struct block {
		uintptr_t number = 0;    // its first byte, in blocks
		range kept = {};         // may be empty
		range filled = {};       // is being filled, unless it was forgotten meanwhile
		bool is_filling = false; // somebody has that place
		unsigned readers = 0;    // so many have parts
		uint64_t used = 0;       // by the launch of this number
		range away = {};         // a part of what is kept
		uintptr_t to_user = 0;   // these three are of what is away
		bool is_pinned = false;
		bool is_spoilt = false;
		bool is_stuck = false; // could not come home once
		uint64_t changes = 0;  // when that, or its values, changed last
		bool is_free() const { return kept.empty() && !is_filling && !readers; }
		bool is_in_use() const { return is_filling || readers; }
		bool may_come() const { return !away.empty() && !is_spoilt && !is_stuck; }
	};
	struct arena {
		void *buffer = nullptr; // null: there is none
		block blocks[blocks_of_arena] = {};
	};

	static constexpr unsigned none = most_arenas * blocks_of_arena;

	block &block_at(unsigned i) { return arenas_[i / blocks_of_arena].blocks[i % blocks_of_arena]; }
	bool is_there(unsigned i) const { return arenas_[i / blocks_of_arena].buffer; }
	range first_block_of(range r) const;
	unsigned find_block(uintptr_t number);
	// Returns the first block that has something of @r, or none. @here becomes the bytes of @r that lie there, and
	// @r what is behind them.
	unsigned next_block(range &r, range &here);
	unsigned find_room();
	bool fits(const block &b, range r) const;
	kept_part part_of(unsigned i, range bytes) const;
	kept_part lend(unsigned i, range bytes);
	static void cut(block &b, range r);
	void drop(block &b, range r);
	void refuse(block &b, range r);
	void has_filled();
	bool takes_away(const block &b, range r, uintptr_t to_user, bool only_again) const;
	void set_away(block &b, range r);
	away_run run_of(unsigned i);
	static bool is_in_use(const arena &a);
	static bool has_away(const arena &a);
	static bool can_come(const arena &a);
	static uint64_t bytes_in(const arena &a);

	futex_lock lock_; // has rank leaf
	arena arenas_[most_arenas];
	unsigned narenas_ = 0;
	unsigned bits_ = 0; // a block has 1 << bits_ bytes
	uint64_t launch_ = 0;
	uint64_t changes_ = 0;
	std::atomic<unsigned> naway_{0}; // blocks
	std::atomic<uint32_t> fills_{0}; // that have ended
};

} // namespace het::rt
