// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/event.h"

#include "core/executor.h"
#include "core/queue.h"
#include "os/clock.h"
#include "os/log.h"

#include <climits>
#include <cstring>
#include <new>

using namespace het::rt;

namespace
{

// It stands in the list of callbacks of an event that has finished.
callback no_more;

} // namespace

het_event::het_event(het_queue *q) : queue(reference<het_queue>::to(q)), queued(het::now_ns())
{
	if (q)
		level.store(q->level.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

het_event::~het_event() = default;

void het_event::add_lanes(uint32_t (&lanes)[most_devices]) const
{
	const executor *x = where.load();
	if (begun && x)
		x->add_lane(on_device.lane, lanes);
}

void het_event::keep_why()
{
	const char *said = het::last_error();
	size_t n = strlen(said) + 1;
	if (why || n == 1)
		return;
	why.reset(new (std::nothrow) char[n]);
	if (why)
		memcpy(why.get(), said, n);
}

void het_event::sleep_until_finished()
{
	for (uint32_t w; (w = word_.load(std::memory_order_acquire)) != finished_word;) {
		if (w == slept_on_word || word_.compare_exchange_weak(w, slept_on_word))
			het::futex_wait(&word_, slept_on_word);
	}
}

callback *het_event::close(int final_status)
{
	status.store(final_status);
	callback *called = callbacks_.exchange(&no_more);
	if (word_.exchange(finished_word) == slept_on_word)
		het::futex_wake(&word_, INT_MAX);
	return called;
}

bool het_event::add_callback(callback &c)
{
	for (callback *first = callbacks_.load(); first != &no_more;) {
		c.next = first;
		if (callbacks_.compare_exchange_weak(first, &c))
			return true;
	}
	return false;
}
