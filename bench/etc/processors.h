// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The processors: each has blocks, whose warps take turns, one instruction a cycle. The warp that issued last goes on
// until it has to wait, then comes the oldest one (GTO).
#pragma once

#include "etc/events.h"
#include "policy/throttle.h"

#include <optional>

namespace etc
{

// What a processor's warps use of the rest of the machine.
class surroundings
{
      public:
	// A warp uses a line; returns when a load's bytes are there, or nothing if it has to wait for its page:
	// then it is told by served().
	virtual std::optional<cycle> access(unsigned processor, unsigned slot, const item &i, uint32_t line,
					    cycle t) = 0;
	virtual void accessed(std::span<const uint32_t> lines) = 0; // a warp's lines, all at once
	virtual void block_ended(unsigned processor, uint32_t slice, cycle t) = 0;

      protected:
	~surroundings() = default;
};

// What stops where there is throttling.
enum class grain : uint8_t { processors, blocks, warps };

class processors
{
      public:
	processors(const machine &m, event_queue &events, surroundings &around);

	// Begins block @which of the slice if the processor @number runs and has room.
	bool begin(unsigned number, const launch &l, uint32_t which, uint32_t slice, cycle t);
	// It is told of its event.
	void issue(unsigned number, cycle t);
	// A line that a warp waited for has been used; its bytes will be there at @ready.
	void served(unsigned number, unsigned slot, cycle t, cycle ready);

	// From now on only those run that @who says, which outlives this.
	void throttle_by(const het::rt::throttle *who, grain g);
	unsigned unit_of(unsigned number, unsigned slot) const;
	unsigned units(grain g) const;
	void wake_all(cycle t);

      private:
	struct warp {
		bool alive = false, at_barrier = false;
		bool paid = false; // the instructions before the item, and its own
		unsigned block = 0;
		uint32_t at = 0, end = 0; // items
		uint32_t faults = 0;      // lines that it waits for
		cycle ready = 0, loaded = 0;
		uint64_t age = 0;
	};
	struct block {
		const launch *of = nullptr; // null: the slot is free
		uint32_t slice = 0;
		unsigned live = 0, waiting = 0; // warps; those of them at the barrier
	};
	struct processor {
		std::vector<warp> warps; // in slots
		std::vector<block> blocks;
		unsigned used_warps = 0, last = ~0u;
		cycle free = 0, port_free = 0; // to issue, and for another line
		cycle woken = never;           // when its event is
	};
	void wake(unsigned number, cycle t);
	bool runs(unsigned number, unsigned slot) const;
	bool is_ready(unsigned number, unsigned slot, cycle t) const;
	std::optional<unsigned> choose(unsigned number, cycle t) const;
	bool do_item(unsigned number, unsigned slot, cycle t);
	void use_memory(unsigned number, unsigned slot, const item &i, cycle t);
	void meet(unsigned number, unsigned slot, cycle t);
	void open_if_full(unsigned number, block &b, cycle t);
	void end(unsigned number, unsigned slot, cycle t);

	const machine m_;
	event_queue &events_;
	surroundings &around_;
	std::vector<processor> all_;
	const het::rt::throttle *who_ = nullptr;
	grain grain_ = grain::processors;
	uint64_t ages_ = 0;
};

} // namespace etc
