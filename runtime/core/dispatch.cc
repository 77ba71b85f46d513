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

void report_event(het_event &e, int code)
{
	const het_queue *q = e.queue.get();
	char text[longest_report];
	const char *kernel = e.name_of_kernel(), *why = e.why ? e.why.get() : sentence_of(code);
	// Most of what is said of a launch names the kernel already.
	bool named = !kernel || strstr(why, kernel);
	snprintf(text, sizeof text, "%s%s%s%s", named ? "" : "kernel ", named ? "" : kernel, named ? "" : ": ", why);
	q->on_error(code, &e, text, q->on_error_arg);
}

// These ends wait until this thread is back from the program's code, oldest first.
struct put_off_list {
	het_event *first = nullptr, *last = nullptr;
};
thread_local put_off_list put_off;
// It counts the calls of finish() on this thread, one in the other.
thread_local unsigned finishing = 0;

void put_off_end(het_event &e)
{
	e.next_in_flight = nullptr;
	(put_off.last ? put_off.last->next_in_flight : put_off.first) = &e;
	put_off.last = &e;
}

het_event *next_put_off()
{
	het_event *e = put_off.first;
	if (e) {
		put_off.first = e->next_in_flight;
		put_off.last = put_off.first ? put_off.last : nullptr;
	}
	return e;
}

bool reports(const het_event &e, int status)
{
	return status < 0 && e.queue && e.queue->on_error;
}

// This is the last of an end.
void call_back(het_event &e, callback *called, int status)
{
	for (callback *c = called, *next; c; c = next) {
		next = c->next;
		c->fn(&e, status, c->arg);
		delete c;
	}
	core().unfinished.fetch_sub(1);
}

// Does all that the end of one command brings, but for what has become ready, which is returned.
node *settle(het_event &e, int status)
{
	// The queue's error callback comes before everything else.
	if (is_helping() && reports(e, status)) {
		e.put_off_status = status;
		put_off_end(e);
		return nullptr;
	}
	e.ended = e.ended ? e.ended : now_ns();
	if (executor *where = e.where.load())
		where->discount(e);
	if (reports(e, status))
		report_event(e, status);
	std::atomic<uint32_t> *leaving = e.queue ? &e.queue->leaving : nullptr;
	if (leaving)
		leaving->fetch_add(1);
	node *ready = core().graph.finish(e, status);
	callback *called = e.close(status);
	if (leaving)
		leaving->fetch_sub(1);
	bool is_over = !called || !is_helping();
	if (is_over)
		call_back(e, called, status);
	core().finished.fetch_add(1);
	if (core().awaiting_progress.load())
		futex_wake(&core().finished, INT_MAX);
	e.after(status);
	if (is_over) {
		e.release();
	} else {
		e.put_off_callbacks = called;
		put_off_end(e);
	}
	return ready;
}

// A dependent is ready: it ends at once, or goes to its executor. Returns what its end has made ready.
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

// It is not recursive, as chains of empty or failed commands may be long.
void finish_chain(het_event &e, int status)
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

} // namespace

// The outermost call has what was put off meanwhile done.
void finish(het_event &e, int status)
{
	finishing++;
	finish_chain(e, status);
	while (het_event *later = finishing == 1 && !is_helping() ? next_put_off() : nullptr) {
		if (!later->is_finished()) {
			finish_chain(*later, later->put_off_status);
			continue;
		}
		call_back(*later, later->put_off_callbacks, later->status.load());
		later->release();
	}
	finishing--;
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
	core().graph.add(e, {.in = &core().user_events}); // can't fail without predecessors
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
