// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/waiting_line.h"

namespace het::rt
{

bool waiting_line::may_begin(const waiter &w)
{
	if (is_empty())
		return true;
	runtime_guard g(lock_);
	return !first_ || first_ == &w;
}

bool waiting_line::enter(waiter &w)
{
	if (w.in.load() == this)
		return false;
	leave_line(w);
	runtime_guard g(lock_);
	w.next = nullptr;
	w.in.store(this);
	(last_ ? last_->next : first_) = &w;
	last_ = &w;
	count_.fetch_add(1);
	return true;
}

void leave_line(waiter &w)
{
	waiting_line *line = w.in.load();
	if (!line)
		return;
	runtime_guard g(line->lock_);
	waiter *before = nullptr;
	for (waiter *i = line->first_; i != &w; i = i->next)
		before = i;
	(before ? before->next : line->first_) = w.next;
	if (line->last_ == &w)
		line->last_ = before;
	w.next = nullptr;
	w.in.store(nullptr);
	line->count_.fetch_sub(1);
}

} // namespace het::rt
