// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches that more urgent ones may stop, on one CUDA device. They run a kernel that was made by the PTX pass
// `checkpoint` (Documentation/het-ptx-checkpoint.rst): when a flag is set its blocks save what they hold and leave, and
// what is left of the launch is launched again later, until nothing is left. Documentation/preemption.rst.
//
// The flag is set by a copy engine, on a stream of its own that has nothing else: a kernel that sets memory would wait
// for the blocks that it is to stop. It stays set until the launch has ended; before the next one it is cleared in the
// order of that stream, and the kernel waits for that. Nothing depends on when it is seen. Announcements take the same
// way: blocks that see one save a base, and run on.
#pragma once

#include "dev/compute_device.h"
#include "dev/cuda_lanes.h"
#include "dev/cuda_sheets.h"
#include "dev/cuda_stop_kernel.h"
#include "preempt/suspension.h"

namespace het::rt
{

// A launch as the plain kernel gets it.
struct cuda_grid {
	unsigned groups[3], items[3], shared_bytes;
	void **values; // one for each parameter; if it is null, block has them all
	void **block;

	uint64_t blocks() const { return uint64_t{groups[0]} * groups[1] * groups[2]; }
	uint64_t threads() const { return uint64_t{items[0]} * items[1] * items[2]; }
};

class cuda_stopped;

class cuda_stops
{
      public:
	cuda_stops(const cuda_calls &cu, const cuda_lanes &lanes, cuda_sheets &sheets)
	    : cu_(cu), lanes_(lanes), sheets_(sheets)
	{
	}

	// Takes what a launch needs that may be stopped, or returns null: then it must run plain. One thread calls it
	// at a time, with the device's context current, as it is for all below.
	cuda_stopped *take(const cuda_stop_kernel &k, const cuda_grid &g, const ticket &t, unsigned units);
	// Begins it, on the ticket's lane. Returns 0 or a code of the driver's; then it is given back, and may have run
	// if the ticket says so.
	int begin(cuda_stopped &s, ticket &t);
	// Waits until all of the launch has run, writes down how it was stopped, and gives it back. Returns 0 or a
	// code.
	int wait(cuda_stopped &s, cuda_lane &lane, uint64_t number, stop_record &record);

	// Runs launch() after what is less urgent has been told to stop; nothing that was stopped goes on meanwhile.
	template <class F> int launch_above(const ticket &t, F launch)
	{
		if (!any_.load(std::memory_order_acquire))
			return launch();
		lock_.lock(lock_rank::opening);
		stop_below(t.level ? t.level->load(std::memory_order_relaxed) : int8_t{0});
		int err = launch();
		changes_.fetch_add(1);
		lock_.unlock(lock_rank::opening);
		return err;
	}
	// Something that is under way has become so urgent.
	void raised(int level);
	// What is less urgent will be told to stop so much later.
	void announce(int level, uint64_t lead_ns);

	// Returns how many bytes of device memory contexts and lists have got so far, which are counted as in use then.
	uint64_t count_bytes();
	// Returns whether a launch was ever begun so.
	bool are_there() const { return any_.load(std::memory_order_acquire); }
	// Gives back what no launch has and was counted. Returns how many bytes.
	uint64_t drop();

      private:
	static constexpr size_t most_under_way = 8;

	cuda_stopped *find_free();
	int open();
	int make_room(cuda_stopped &s, const cuda_stop_kernel &k, const cuda_grid &g, const ticket &t);
	bool grow(cuda_stopped &s, cu_deviceptr *at, uint64_t *has, uint64_t wanted, uint64_t room);
	int clear_flags(cuda_stopped &s, cu_stream on);
	bool is_before(const cuda_stopped &s, int level) const;
	void stop_below(int level);
	void set_flags(cuda_stopped &s);
	void announce_to(cuda_stopped &s, uint32_t lead_ns);
	int launch_round(cuda_stopped &s, cu_stream on);
	int launch_one(cuda_stopped &s, cu_function f, const unsigned (&groups)[3], cu_deviceptr control, cu_stream on);
	int look(cuda_stopped &s, cu_stream on, stop_record &record, bool *done);
	int find_contexts(cuda_stopped &s, cu_stream on, uint64_t asked, stop_record &record);
	int go_on(cuda_stopped &s, cuda_lane &lane);
	int go_on_recorded(cuda_stopped &s, cuda_lane &lane, stop_record &record);
	int wait_for_round(cuda_stopped &s);
	uint64_t free_memory(cuda_stopped &s);
	void give_back(cuda_stopped &s);

	const cuda_calls &cu_;
	const cuda_lanes &lanes_;
	cuda_sheets &sheets_;
	std::atomic<bool> any_{false};
	futex_lock lock_; // has rank opening; the driver is called under it
	cuda_stopped *all_[most_under_way] = {};
	cu_stream flags_ = nullptr;   // sets and clears flags
	cu_stream rescues_ = nullptr; // runs what has lost its patience
	// Counts what may have made a device busy with urgent work, once that is with the driver: who has asked the
	// driver before sees another count.
	std::atomic<uint64_t> changes_{0};
	cuda_sheet *constants_ = nullptr;
	size_t flag_bytes_ = 0;
	uint64_t bytes_ = 0; // belongs to the submitter
};

} // namespace het::rt
