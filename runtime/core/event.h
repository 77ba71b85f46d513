// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// An event is its command: a node of the graph, a task of a deque, and what the program waits for.
//
// Its life: it is made by a call (one reference is the caller's, one the runtime's own, given back when it has
// finished) → add() to the graph → ready → offered to an executor → begin() → in flight → end() → finish() → shown.
// finish() is called exactly once, by whoever saw the command to its end, with no lock held. Other commands go on from
// then; the program hears of it when it is shown, which is mostly at once.
#pragma once

#include "core/object.h"
#include "dev/compute_device.h"
#include "evict/waiting_line.h"
#include "sched/graph.h"
#include "sched/work_deque.h"

#include <het.h>

#include <memory>

namespace het::rt
{

class executor;
class kernel_command;

// This is what has become of a command that was to begin.
struct begin_result {
	enum state : uint8_t {
		over,      // it has run to its end, or failed
		in_flight, // the device is at work
		detached,  // others are at work, who will call finish()
		// It has done nothing: other commands must end first, for which nobody may wait who holds a lock or an
		// open use.
		refused,
	};
	begin_result(state s) : how(s) {}                   // NOLINT(google-explicit-constructor)
	begin_result(int code) : how(over), status(code) {} // NOLINT(google-explicit-constructor)

	state how;
	int status = 0; // is 0 or a code, of what is over
};

struct callback {
	callback *next;
	het_event_fn fn;
	void *arg;
};

} // namespace het::rt

struct het_event : het::rt::object, het::rt::node, het::rt::task {
	// @queue is null for user events.
	explicit het_event(het_queue *queue);
	~het_event() override;

	// Begins the command on the executor's device. One thread calls it.
	virtual het::rt::begin_result begin(het::rt::executor &) { return 0; }
	// The device has finished; @device_error is what it says. Returns 0 or a code of its own.
	virtual int end(int /*device_error*/) { return 0; }
	// end() has left bytes that are to come home behind the kernel; this brings them. One thread calls it, with no
	// lock held.
	virtual void bring_home() {}
	// Or what may come home when the program has been told. One thread calls it, with no lock held.
	virtual void bring_later() {}
	// It has been shown, and this does the last thing for it. No lock is held.
	virtual void after(int /*status*/) {}
	// These tell who has done what, once it has finished. The number that part() gets is below nparts().
	virtual uint32_t nparts() const { return 0; }
	virtual het_event_part_info part(uint32_t /*number*/) const { return {}; }
	// begin() takes no time, so any thread may call it.
	virtual bool begins_anywhere() const { return false; }
	// Adds the lanes on which it is under way, a bit for each, by device. The graph's lock is held.
	virtual void add_lanes(uint32_t (&lanes)[het::rt::most_devices]) const;
	// There is nothing to do: it finishes as soon as it is ready.
	virtual bool is_empty() const { return true; }

	// Returns what a launch was asked to do; null if it is none.
	virtual const het::rt::kernel_command *as_launch() const { return nullptr; }
	// Returns the kernel, for people; null if it has none.
	virtual const char *name_of_kernel() const { return nullptr; }
	// It has failed, and this thread's last error, if there is one, says why. What was kept first stays.
	void keep_why();

	// It has finished, and has been shown.
	bool is_finished() const { return word_.load(std::memory_order_acquire) == finished_word; }
	void sleep_until_finished();
	bool is_slept_on() const { return word_.load(std::memory_order_relaxed) == slept_on_word; }
	// Wakes who sleeps, and returns the callbacks.
	het::rt::callback *close(int final_status);
	// It is false if the event has finished.
	bool add_callback(het::rt::callback &c);

	const het::rt::reference<het_queue> queue;
	// This is how far it is, as het_event_status() tells.
	std::atomic<int> status{HET_QUEUED};
	// This is the executor that has it or will have it.
	std::atomic<het::rt::executor *> where{nullptr};
	// These executors may take it from another, bit by number.
	uint32_t stealable_by = 0;
	// It runs, or has been cancelled before it did. The graph's lock guards it.
	bool begun = false;
	// So many writes of checkpoint files keep it from that; and it was to begin, and they will hand it over again.
	// The graph's lock guards both.
	uint32_t held_back = 0;
	bool set_aside = false;
	// end() sets one of them at most: bring_home() is to be called before the command is shown, or bring_later()
	// when it has been.
	bool comes_home = false, comes_later = false;
	// This is what it has ended with, once it has finished; before that, what its device says, once that has done
	// it.
	int end_status = 0;

	uint64_t queued = 0, started = 0, ended = 0;
	// Since this time somebody has waited for its end on the device.
	uint64_t watched = 0;
	// This is how long it is expected to take, or 0 if that is not known; and whether its executor counts it.
	uint64_t expected_ns = 0;
	bool counted = false;
	// It is to have ended by then; 0 means that there is no such time. A launch has this level of its own, which it
	// had when it came: who waits for it, or the deadline, may raise the other.
	uint64_t deadline = 0;
	int8_t own_level = 0;
	// core/deadlines.h has these: when it is to rise next, and its neighbours in the list of those that will.
	uint64_t rises_at = 0;
	het_event *next_timed = nullptr, *previous_timed = nullptr;
	// It waits for memory of a device.
	het::rt::waiter place_in_line;
	het::rt::ticket on_device;
	het_event *next_in_flight = nullptr; // links it in the list of whoever has it
	// Links it in the list of those whose bytes come later: it may be in another's by then, as it is over.
	het_event *next_to_bring = nullptr;
	// These wait until the program's code that its end brings can be called. It is then in a list by
	// next_in_flight, with the callbacks of what has finished, and the status of what has not.
	het::rt::callback *put_off_callbacks = nullptr;
	int put_off_status = 0;
	// This is what was said when it failed, the driver's words perhaps, or null if nothing was. It belongs to
	// whoever finishes it.
	std::unique_ptr<char[]> why;
	// Of a launch that did not fit into its device's memory this tells how it used that. It belongs to whoever
	// finishes it.
	std::unique_ptr<het_memory_use> on_memory;

      private:
	static constexpr uint32_t unfinished_word = 0, slept_on_word = 1, finished_word = 2;
	std::atomic<uint32_t> word_{unfinished_word};
	std::atomic<het::rt::callback *> callbacks_{nullptr};
};
