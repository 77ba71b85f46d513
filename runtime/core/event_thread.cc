// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/event_thread.h"

#include "os/thread.h"

#include <climits>

namespace het::rt
{

bool event_thread::start(bool needed)
{
	uint32_t seen = state_.load(std::memory_order_acquire);
	if (seen == started)
		return true;
	signals_blocked once_for_all; // what a signal brings must not wait for this thread
	while (seen == untried || (needed && seen == refused)) {
		if (!state_.compare_exchange_weak(seen, starting))
			continue;
		const bool is_there = start_thread(
			name_, [](void *arg) { static_cast<event_thread *>(arg)->work(); }, this);
		state_.store(is_there ? started : refused);
		futex_wake(&state_, INT_MAX);
		return is_there;
	}
	while (needed && state_.load() == starting)
		futex_wait(&state_, starting);
	return state_.load() == started;
}

void event_thread::add(het_event &e)
{
	e.*next_ = nullptr;
	lock_.lock(lock_rank::leaf);
	(last_ ? last_->*next_ : first_) = &e;
	last_ = &e;
	lock_.unlock(lock_rank::leaf);
	bell_.fetch_add(1);
	futex_wake(&bell_, 1);
}

// Returns what leads to the next one in the list, which is not empty. Has the lock.
het_event **event_thread::choose()
{
	het_event **found = &first_;
	if (!order_)
		return found;
	for (het_event **i = &((*found)->*next_); *i; i = &((*i)->*next_))
		found = order_->urgency(**i) > order_->urgency(**found) ? i : found;
	for (het_event *e = first_; e != *found; e = e->*next_)
		order_->is_passed(*e);
	return found;
}

het_event *event_thread::take()
{
	lock_.lock(lock_rank::leaf);
	het_event *e = nullptr;
	if (first_) {
		het_event **at = choose();
		e = *at;
		*at = e->*next_;
		if (last_ == e)
			for (last_ = first_; last_ && last_->*next_;)
				last_ = last_->*next_;
	}
	lock_.unlock(lock_rank::leaf);
	return e;
}

void event_thread::work()
{
	for (;;) {
		uint32_t seen = bell_.load();
		if (het_event *e = take())
			see_to_(*e);
		else
			futex_wait(&bell_, seen);
	}
}

} // namespace het::rt
