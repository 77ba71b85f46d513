// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// An executor is one device at work: it has the commands that are ready for it, those in flight on it, and its worker.
//
// There are two jobs, each done by one thread at a time but by any thread:
//   submitting   calls begin() of a command under the submit lock (rank driver)
//   reaping      waits in the driver for the oldest command in flight; it takes the reaper's role, which nobody waits
//                for
// On the short path the launching thread submits, and a thread that waits for an event reaps. The worker does what
// nobody else does. So that nothing is left lying:
//   - what is pushed rings the worker's bell;
//   - what depends on a command in flight, or asks for it, calls attend(): from then on the worker reaps all;
//   - a waiter that finds the role taken sleeps; the one who leaves the role rings if others wait or attend() was
//     called;
//   - what lies in flight for a tick with nobody reaping is attended by the worker, so that a host touch which waits
//     for a kernel's end gets on, although its thread never comes here.
// A command may begin behind those in flight here that it depends on, as the device runs them in order (streams, in
// sched/graph.h). It does so only if it needs nothing else: no bytes from anywhere, no kernel that is to be told of.
// Otherwise it goes back, and waits for their ends.
//
// Devices without a queue have no flights: begin() runs the command, in the worker or in a thread that waits for it.
#pragma once

#include "core/event.h"
#include "core/levels.h"
#include "sched/level_queue.h"

namespace het::rt
{

// Executors tell it what has become of commands. There is one for the process, above them all.
class supervisor
{
      public:
	// The command has run to its end, or was not to begin. It is called once for each, with no lock held.
	virtual void finished(het_event &e, int status) = 0;
	// A command has failed there. It takes locks from structure on.
	virtual void failed(het_device &d) = 0;
	// The command was to begin behind others, and can't: it is to wait for their ends. No lock is held.
	virtual void must_wait(het_event &e) = 0;

      protected:
	~supervisor() = default;
};

class executor
{
	static constexpr uint64_t ageing_step_ns = 10'000'000;

      public:
	// @device is null for commands of the host's own (copies).
	executor(compute_device *device, unsigned number) : device_(device), number_(number), submitting_(own_lock_) {}
	// This is one for a lane of the same device, which has commands of this level alone.
	executor(executor &own, int level)
	    : device_(own.device_), number_(own.number_), level_(level), lane_(uint8_t(1 + index_of_level(level))),
	      submitting_(own.own_lock_)
	{
	}

	compute_device *device() const { return device_; }
	unsigned number() const { return number_; }
	// Commands of other levels than 0 go to lanes of their own.
	bool has_lanes() const { return device_ && device_->has_lanes() && preempting_allowed() != preempting::off; }
	uint8_t lane() const { return lane_; }
	// Adds a lane of its device to those that are there for each device, if it has any.
	void add_lane(unsigned lane, uint32_t (&lanes)[most_devices]) const
	{
		if (has_lanes())
			lanes[number_] |= uint32_t{1} << lane;
	}
	// Returns how many commands it has to do.
	uint32_t load() const { return ready_.size() + flights_.load(std::memory_order_relaxed); }

	// Returns whether the device is at this command, which it has.
	bool runs(const het_event &e);
	// Returns how many commands it has done so far, on a device with a queue.
	uint32_t reaped() const { return reaped_.load(std::memory_order_relaxed); }
	// Returns how many it has begun there so far.
	uint32_t begun() const { return begun_.load(std::memory_order_relaxed); }

	// Returns how long all that will take, as far as that is known.
	uint64_t expected_ns() const { return expected_ns_.load(std::memory_order_relaxed); }
	// The command is among those, or is no longer.
	void count(het_event &e);
	void discount(het_event &e);

	// A command has become ready in its own launch: this begins it here if nothing stands in the way.
	void offer(het_event &e);
	// Another command's end has made it ready.
	void hand_over(het_event &e);
	// The command has become more urgent, under the graph's lock. It is false if it does not lie here.
	bool move_up(het_event &e);
	// There is nothing left to do of a command. It is false if it does not lie here, as it is about to begin.
	bool withdraw(het_event &e);
	void attend();
	// Does what there is to do for @e, which waits or runs here; returns when it has finished or another has it.
	void drive_until_finished(het_event &e);

	// Starts the worker, which lives as long as the process. It is false if no thread could be had.
	bool start_worker();
	// The worker's thread calls it. It is false if there was nothing to do, or others are doing it.
	bool work_once();

      private:
	class more_urgent;

	bool has_queue() const { return device_ && device_->has_queue(); }
	begin_result begin(het_event &e);
	begin_result begin_alone(het_event &e);
	void put_in_flight(het_event &e);
	bool pass_on(het_event &e);
	bool start(het_event &e);
	bool start_as_helper(het_event &e);
	het_event *next_for(het_event &e);
	bool reap();
	task *next_task();
	task *next_of_own();
	unsigned choose_level(uint32_t waiting);
	uint32_t depth_for(int level) const;
	executor &place_of(const het_event &e);
	void put_down(het_event &e, executor &place);
	void ring();
	void sleep(uint32_t seen, int64_t timeout_ns);
	void work();
	void rest(uint32_t bell);

	compute_device *const device_;
	const unsigned number_;

	const int level_ = 0;
	const uint8_t lane_ = 0; // is 0 for the device's own, and for those of lanes the level's index and 1

	level_queue ready_;
	ageing ageing_{ageing_step_ns}; // belongs to the worker
	futex_lock own_lock_;
	futex_lock &submitting_; // is the same for all lanes of a device
	std::atomic<bool> reaping_{false};

	// The list of what is in flight has the oldest first.
	futex_lock flight_lock_;
	het_event *oldest_ = nullptr, *newest_ = nullptr;
	std::atomic<uint32_t> flights_{0};
	std::atomic<uint64_t> expected_ns_{0};
	std::atomic<uint32_t> reaped_{0}, begun_{0}; // count what there was so far

	std::atomic<uint32_t> waiters_{0};
	std::atomic<bool> attended_{false};
	std::atomic<uint32_t> bell_{0};
	std::atomic<bool> asleep_{false};
	// The worker looks at the flights every tick.
	std::atomic<bool> ticking_{false};
	uint32_t begun_at_tick_ = 0;
	// The worker alone uses it: the last time that it rested, something came so soon that it need not have slept.
	bool expects_soon_ = true;
};

// A command has finished, or bytes have come home behind one: who waits for that looks again.
void note_progress();
// Returns a number that changes with each. Who finds that he must wait has asked for it before he looked.
uint32_t progress();
// Sees to it that what is in flight gets on, and sleeps until there has been more progress, or a while has passed.
void wait_for_progress(uint32_t seen);
// Does the same for calls, which may come from a callback: what the calling worker has to do is done meanwhile, as
// others may wait for it.
void help_progress();
// This thread is the worker of an executor.
bool is_worker();
// This thread is in help_progress(), with the program's code below it: it runs no more of that, which might have to
// wait in turn.
bool is_helping();

} // namespace het::rt
