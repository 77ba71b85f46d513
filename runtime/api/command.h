// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Adds a command as all functions of the C boundary do that have one.
#pragma once

#include "api/structs.h"
#include "core/dispatch.h"
#include "core/event.h"
#include "core/queue.h"
#include "core/runtime.h"
#include "core/start.h"

#include <memory>
#include <new>
#include <span>

namespace het::rt
{

inline int check_waits(const char *call, size_t n, het_event *const *events)
{
	if (n && !events)
		return fail(HET_ENULL, "%s: %zu events at null", call, n);
	for (size_t i = 0; i < n; i++) {
		if (!events[i])
			return fail(HET_ENULL, "%s: event %zu is null", call, i);
	}
	return 0;
}

// Copies a wait list as nodes of the graph, since the handles are of another type.
class wait_list
{
      public:
	// @last is one more event, or null. Returns false if there is no memory.
	bool take(size_t n, het_event *const *events, het_event *last = nullptr)
	{
		size_t count = n + (last != nullptr);
		if (count > few)
			more_.reset(new (std::nothrow) node *[count]);
		node **to = count > few ? more_.get() : some_;
		for (size_t i = 0; to && i < n; i++)
			to[i] = events[i];
		if (to && last)
			to[n] = last;
		nodes = {to, count};
		return to;
	}
	std::span<node *const> nodes;

      private:
	static constexpr size_t few = 8;
	node *some_[few];
	std::unique_ptr<node *[]> more_;
};

// Begins each of these calls. @first is that of accept().
template <class A>
int accept_command(const char *call, het_queue *queue, const A *args, A &ours, size_t first = sizeof(A))
{
	if (int err = check_started())
		return err;
	if (!queue)
		return fail(HET_ENULL, "%s: null queue", call);
	int err = accept(call, args, ours, first);
	return err ? err : check_waits(call, ours.nwaits, ours.waits);
}

inline ordering usual_order(const het_queue &queue)
{
	return queue.in_order ? ordering::in_order : ordering::free;
}

// Sends a command on its way. @event is null, or receives it.
inline int send(reference<het_event> e, const command_graph::place &p, het_event **event,
		const command_graph::follower &then = {})
{
	auto kept = reference<het_event>::to(e.get());
	int err = enqueue(e.give_up(), p, then);
	if (!err && event)
		*event = kept.give_up();
	return err;
}

// Makes a command of class C by take(args), and sends it. The arguments were accepted.
template <class C, class A> int make_command(const char *call, het_queue *queue, const A &a, het_event **event)
{
	wait_list waits;
	reference<C> c(new (std::nothrow) C(*queue));
	if (!c || !waits.take(a.nwaits, a.waits))
		return fail(HET_ENOMEM, "%s: out of memory", call);
	if (int err = c->take(a))
		return err;
	return send(reference<het_event>(c.give_up()), {&queue->commands, usual_order(*queue), waits.nodes}, event);
}

template <class C, class A> int command(const char *call, het_queue *queue, const A *args, het_event **event)
{
	A a = {};
	int err = accept_command(call, queue, args, a);
	return err ? err : make_command<C>(call, queue, a, event);
}

} // namespace het::rt
