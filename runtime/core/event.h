// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Commands. An event is its command: a node of the graph, a task of a deque, and what the program waits for.
//
// Life: made by a call (one reference the caller's, one the runtime's own, given back when it has finished) → add() to
// the graph → ready → offered to an executor → begin() → in flight → end() → finish(). finish() is called exactly once,
// by whoever saw the command to its end, with no lock held.
#pragma once

#include "core/object.h"
#include "dev/compute_device.h"
#include "sched/graph.h"
#include "sched/work_deque.h"

#include <het.h>

#include <memory>

namespace het::rt
{

class executor;

// What has become of a command that was to begin.
struct begin_result {
	enum state : uint8_t {
		over,      // it has run to its end, or failed
		in_flight, // the device is at work
		detached,  // others are, who will call finish()
		// It has done nothing: other commands must end first, for which nobody may wait who holds a lock or an
		// open use.
		refused,
	};
	begin_result(state s) : how(s) {}                   // NOLINT(google-explicit-constructor)
	begin_result(int code) : how(over), status(code) {} // NOLINT(google-explicit-constructor)

	state how;
	int status = 0; // of what is over: 0 or a code
};

struct callback {
	callback *next;
	het_event_fn fn;
	void *arg;
};

} // namespace het::rt

struct het_event : het::rt::object, het::rt::node, het::rt::task {
	// @queue: null for user events.
	explicit het_event(het_queue *queue);
	~het_event() override;

	// Begins the command on the executor's device. One thread.
	virtual het::rt::begin_result begin(het::rt::executor &) { return 0; }
	// The device has finished; @device_error is what it says. 0 or a code of its own.
	virtual int end(int /*device_error*/) { return 0; }
	// It has finished. No lock is held; for the last thing that is done for it.
	virtual void after(int /*status*/) {}
	// Who has done what, once it has finished; part() of a number below nparts().
	virtual uint32_t nparts() const { return 0; }
	virtual het_event_part_info part(uint32_t /*number*/) const { return {}; }
	// begin() takes no time, so any thread may call it.
	virtual bool begins_anywhere() const { return false; }
	// There is nothing to do: it finishes as soon as it is ready.
	virtual bool is_empty() const { return true; }

	// For people: the kernel; null if it has none.
	virtual const char *name_of_kernel() const { return nullptr; }
	// It has failed, and this thread's last error, if there is one, says why. What was kept first stays.
	void keep_why();

	bool is_finished() const { return word_.load(std::memory_order_acquire) == finished_word; }
	void sleep_until_finished();
	// Wakes who sleeps, and returns the callbacks.
	het::rt::callback *close(int final_status);
	// False: the event has finished.
	bool add_callback(het::rt::callback &c);

	const het::rt::reference<het_queue> queue;
	// How far it is, as het_event_status() tells.
	std::atomic<int> status{HET_QUEUED};
	// The executor that has it or will have it.
	std::atomic<het::rt::executor *> where{nullptr};
	// Executors that may take it from another, bit by number.
	uint32_t stealable_by = 0;
	// It runs, or has been cancelled before it did. Graph lock.
	bool begun = false;

	uint64_t queued = 0, started = 0, ended = 0;
	// Since when somebody has waited for its end on the device.
	uint64_t watched = 0;
	// How long it is expected to take, 0: not known; and whether its executor counts it.
	uint64_t expected_ns = 0;
	bool counted = false;
	het::rt::ticket on_device;
	het_event *next_in_flight = nullptr;
	// Until the program's code that its end brings can be called: in a list by next_in_flight, with the callbacks
	// of what has finished, and the status of what has not.
	het::rt::callback *put_off_callbacks = nullptr;
	int put_off_status = 0;
	// What was said when it failed, the driver's words perhaps; null: nothing. Whoever finishes it has it.
	std::unique_ptr<char[]> why;

      private:
	static constexpr uint32_t unfinished_word = 0, slept_on_word = 1, finished_word = 2;
	std::atomic<uint32_t> word_{unfinished_word};
	std::atomic<het::rt::callback *> callbacks_{nullptr};
};
