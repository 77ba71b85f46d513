// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/dispatch.h"

#include "core/queue.h"
#include "core/runtime.h"
#include "core/sentences.h"
#include "os/clock.h"
#include "os/log.h"

#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

namespace het::rt
{

namespace
{

constexpr size_t longest_report = 600;

het_event &event_of(node &n)
{
	return static_cast<het_event &>(n);
}

void report(het_event &e, int code)
{
	het_queue *q = e.queue.get();
	if (!q || !q->on_error)
		return;
	char text[longest_report];
	const char *kernel = e.name_of_kernel(), *why = e.why ? e.why.get() : sentence_of(code);
	// Most of what is said of a launch names the kernel already.
	bool named = !kernel || strstr(why, kernel);
	snprintf(text, sizeof text, "%s%s%s%s", named ? "" : "kernel ", named ? "" : kernel, named ? "" : ": ", why);
	q->on_error(code, &e, text, q->on_error_arg);
}

// All that the end of one command brings, but for what has become ready, which is returned.
node *settle(het_event &e, int status)
{
	e.ended = e.ended ? e.ended : now_ns();
	if (executor *where = e.where.load())
		where->discount(e);
	if (status < 0)
		report(e, status);
	std::atomic<uint32_t> *leaving = e.queue ? &e.queue->leaving : nullptr;
	if (leaving)
		leaving->fetch_add(1);
	node *ready = core().graph.finish(e, status);
	callback *called = e.close(status);
	if (leaving)
		leaving->fetch_sub(1);
	for (callback *c = called, *next; c; c = next) {
		next = c->next;
		c->fn(&e, status, c->arg);
		delete c;
	}
	core().unfinished.fetch_sub(1);
	core().finished.fetch_add(1);
	if (core().awaiting_progress.load())
		futex_wake(&core().finished, INT_MAX);
	e.after(status);
	e.release();
	return ready;
}

// A dependent that is ready: ends at once, or goes to its executor. Returns what its end has made ready.
node *hand_out(het_event &e)
{
	int inherited = e.inherited;
	if (inherited || e.is_empty())
		return settle(e, inherited);
	e.where.load()->hand_over(e);
	return nullptr;
}

void append(node **list, node *more)
{
	while (*list)
		list = &(*list)->next_ready;
	*list = more;
}

} // namespace

// Not recursive: chains of empty or failed commands may be long.
void finish(het_event &e, int status)
{
	node *ready = settle(e, status);
	while (node *n = ready) {
		ready = n->next_ready;
		n->next_ready = nullptr;
		if (node *more = hand_out(event_of(*n))) {
			append(&more, ready);
			ready = more;
		}
	}
}

int enqueue(het_event *e, const command_graph::place &p, const command_graph::follower &then)
{
	uint32_t count = then.n ? 2 : 1;
	core().unfinished.fetch_add(count);
	switch (core().graph.add(*e, p, then)) {
	case command_graph::added::ready:
		if (e->is_empty())
			finish(*e, e->inherited);
		else
			e->where.load()->offer(*e);
		return 0;
	case command_graph::added::waiting:
		// What it waits for may be in flight with nobody looking.
		core().for_executors([](executor &x) { x.attend(); });
		return 0;
	default:
		core().unfinished.fetch_sub(count);
		e->release();
		if (then.n)
			event_of(*then.n).release();
		return fail(HET_ENOMEM, "no memory for the order of commands");
	}
}

void start_part(het_event *e, executor &on)
{
	core().unfinished.fetch_add(1);
	e->where.store(&on);
	on.hand_over(*e);
}

void open_user_event(het_event &e)
{
	core().unfinished.fetch_add(1);
	e.held = true;
	core().graph.add(e, {.in = &core().user_events}); // without predecessors it can't fail
}

bool claim(het_event &user_event)
{
	return core().graph.locked([&] { return !std::exchange(user_event.begun, true); });
}

void wait_for(het_event &e)
{
	while (!e.is_finished()) {
		if (executor *where = e.where.load())
			where->drive_until_finished(e);
		else
			e.sleep_until_finished();
	}
}

} // namespace het::rt
