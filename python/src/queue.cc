// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "queue.h"

#include "errors.h"
#include "messages.h"
#include "object.h"

#include <chrono>
#include <set>
#include <thread>

namespace het::python
{

namespace
{

// It is never destroyed, as queues may go after it.
std::set<het_queue *> &all_queues()
{
	static auto *const all = new std::set<het_queue *>;
	return *all;
}

constexpr auto longest_wait_at_exit = std::chrono::seconds(2);

} // namespace

queue::queue(std::vector<het_device *> devices, uint32_t flags, int32_t priority)
{
	het_queue_args a = {};
	a.size = sizeof(a);
	a.flags = flags;
	a.ndevices = uint32_t(devices.size());
	a.devices = devices.data();
	a.on_error = note_message;
	a.priority = priority;
	int err;
	{
		// The first call starts the library, which looks for devices.
		without_gil g;
		err = het_queue_create(&a, &q_);
	}
	check(err);
	all_queues().insert(q_);
}

queue::~queue()
{
	all_queues().erase(q_);
	het_queue_release(q_);
}

void queue::finish()
{
	int err;
	{
		without_gil g;
		err = het_finish(q_);
	}
	check(err);
}

void queue::set_priority(int priority)
{
	check(het_queue_set_priority(q_, priority));
}

void queue::announce(uint64_t ns)
{
	int err;
	{
		without_gil g;
		err = het_queue_announce(q_, ns);
	}
	check(err);
}

// What waits for an event of the program's may never finish.
void queue::finish_all()
{
	const auto end = std::chrono::steady_clock::now() + longest_wait_at_exit;
	for (het_queue *q : all_queues()) {
		het_event *last = nullptr;
		if (het_marker(q, 0, nullptr, &last))
			continue;
		without_gil g;
		int status = HET_QUEUED;
		while (!het_event_status(last, &status) && status > HET_COMPLETE &&
		       std::chrono::steady_clock::now() < end)
			std::this_thread::sleep_for(std::chrono::milliseconds(1));
		het_event_release(last);
	}
}

// Two threads that come first may make one each, as they wait without the interpreter's lock; the first one stays.
het_queue *queue::usual()
{
	static queue *one = nullptr;
	if (!one) {
		auto *made = new queue({}, 0, 0);
		if (one)
			delete made;
		else
			one = made;
	}
	return one->get();
}

} // namespace het::python
