// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The processors, with blocks of one kernel. A scheduler takes its warps in turns, one instruction a cycle, of those
// whose registers are there and whose unit is free. Blocks can be stopped: then what is on its way in their pipelines
// comes to its end, the trap takes its time, and what is to be saved goes to memory line by line, with that of all
// others.
//
// A gpu can be copied in the middle, and each copy goes on by itself.
#pragma once

#include "pep/memory.h"
#include "pep/trace.h"

#include <deque>

namespace pep
{

struct place_of_block {
	unsigned processor = 0, slot = 0;
};

// Decides what becomes of blocks.
class director
{
      public:
	// A block has ended. Returns whether another begins in its place.
	virtual bool ended(place_of_block at, cycle t) = 0;
	// A block that runs has done machine::look_instructions.
	virtual void look(place_of_block at, cycle t) = 0;
	// A block has been stopped, and its pipelines are empty. Returns how many bytes of it go to memory.
	virtual uint64_t stopped(place_of_block at, cycle t) = 0;
	// They have. It resumes the block, or has it leave.
	virtual void saved(place_of_block at, cycle t) = 0;

      protected:
	~director() = default;
};

class gpu
{
      public:
	// @m and @k outlive it and its copies. Each processor has @blocks blocks, which begin at once.
	gpu(const machine &m, const kernel_trace &k, unsigned blocks);

	// No block is there: they begin anew, with the cache as it is.
	void begin_all();
	// Runs until then, and has done all of it that happens before @t.
	void run(cycle t, director &d);
	cycle now() const { return now_; }
	uint64_t steps() const { return steps_; } // of all warps so far
	uint64_t lines_moved() const { return memory_.lines_moved(); }

	enum class state : uint8_t { empty, running, stopping, saving };
	struct block {
		const block_trace *trace = nullptr;
		enum state state = state::empty;
		unsigned live = 0, waiting = 0;          // warps; those of them at the barrier
		uint64_t number = 0;                     // in the order of begins
		uint64_t steps = 0;                      // done
		cycle begun = 0, stopped = 0, stood = 0; // stood: how long it was stopped so far
		bool wrote_shared = false, wrote_shared_since = false;
	};
	unsigned processors() const { return unsigned(all_.size()); }
	unsigned slots() const { return unsigned(all_.front().blocks.size()); }
	const block &at(place_of_block b) const { return all_[b.processor].blocks[b.slot]; }
	// Returns for how long it has run.
	cycle ran(place_of_block b) const { return now_ - at(b).begun - at(b).stood; }

	// What the block has written since it began, or since its last checkpoint: registers of warps, and all of its
	// shared memory if it has written any.
	uint64_t dirty_bytes(place_of_block b, bool since_checkpoint) const;
	uint64_t dirty_registers(place_of_block b) const; // of warps, since it began

	// The block runs.
	void stop(place_of_block b);
	// The block was saved: what it writes from now on is written since.
	void resume(place_of_block b);
	void leave(place_of_block b);
	// The block runs, and is to begin anew elsewhere.
	void flush(place_of_block b);

      private:
	struct warp {
		const step *at = nullptr, *end = nullptr;
		register_set dirty, dirty_since;
		bool alive = false, at_barrier = false;
	};
	static constexpr unsigned units = 8;
	struct scheduler {
		cycle next = 0; // when it looks
		unsigned last = 0;
		std::array<cycle, units> free = {};
	};
	struct save {
		unsigned slot;
		cycle begins;       // when the trap has been
		uint64_t lines = 0; // to be sent
		cycle last = 0;     // when the last of them has been written
	};
	struct processor {
		std::vector<warp> warps; // of slot 0, then of slot 1, …
		std::vector<cycle> when; // the next instruction of each can be issued
		std::vector<uint8_t> next_unit;
		std::vector<cycle> ready; // of each place of each warp
		std::vector<block> blocks;
		std::vector<scheduler> schedulers;
		cycle port = 0;          // when it can send the next line
		std::vector<save> saves; // the first one with lines sends them
		std::deque<cycle> lines; // on their way
		cycle next_line = 0, next_save = never;
	};

	void begin_block(place_of_block b, cycle t);
	void end_warp(place_of_block b, warp &w, cycle t, director &d);
	void open_barrier(place_of_block b, cycle t);
	void set_when(processor &p, unsigned warp, cycle least);
	void schedule(unsigned number, unsigned which, cycle t, director &d);
	void issue(unsigned number, unsigned which, unsigned warp, cycle t, director &d);
	cycle use_memory(processor &p, const block &b, const step &s, const instruction &i, cycle t);
	void serve(unsigned number, cycle t, director &d);
	void send_line(processor &p, cycle t);
	cycle next_save(const processor &p) const;
	void note_next(unsigned number);
	cycle latency_of(unit u) const;
	unsigned slots_of(unit u) const;

	const machine *m_;
	const kernel_trace *k_;
	memory memory_;
	std::vector<processor> all_;
	std::vector<cycle> next_; // of each processor
	unsigned warps_of_block_;
	cycle now_ = 0;
	uint64_t begun_ = 0, steps_ = 0;
};

} // namespace pep
