// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/dispatch.h"

#include "core/deadlines.h"
#include "core/event_thread.h"
#include "core/queue.h"
#include "core/runtime.h"
#include "core/sentences.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/thread.h"

#include <algorithm>
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
	const program_code here;
	q->on_error(code, &e, text, q->on_error_arg);
}

// These ends wait until this thread is back from the program's code, oldest first.
struct put_off_list {
	het_event *first = nullptr, *last = nullptr;
};
thread_local put_off_list put_off;
// It counts the calls of finish() on this thread, one in the other.
thread_local unsigned finishing = 0;
// Others wait for this thread, so it calls no code of the program's, which may wait for what others wait for: what is
// put off goes to a thread that nobody waits for.
thread_local bool tells_elsewhere = false;
thread_local bool of_teller = false;

bool may_call_program()
{
	return !is_helping() && !tells_elsewhere;
}

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
		{
			const program_code here;
			c->fn(&e, status, c->arg);
		}
		delete c;
	}
	core().unfinished.fetch_sub(1);
}

void append(node **list, node *more)
{
	while (*list)
		list = &(*list)->next_ready;
	*list = more;
}

node *take_first(node **list)
{
	node *n = *list;
	*list = n->next_ready;
	n->next_ready = nullptr;
	return n;
}

// The command has left the graph: waiters hear of its end.
void close(het_event &e)
{
	e.put_off_callbacks = e.close(e.end_status);
	if (e.in)
		e.in->leaving.fetch_sub(1);
}

// Does what is left of an end that waiters have heard of.
void conclude(het_event &e)
{
	bool is_over = !e.put_off_callbacks || may_call_program();
	if (is_over)
		call_back(e, e.put_off_callbacks, e.end_status);
	note_progress();
	e.after(e.end_status);
	if (is_over)
		e.release();
	else
		put_off_end(e);
}

void conclude_all(node *closed)
{
	while (closed)
		conclude(event_of(*take_first(&closed)));
}

// These leave the graph, and all that they let be shown. Returns a list of them. It is not recursive, as chains may be
// long.
node *close_all(node *list)
{
	node *closed = nullptr, **end = &closed;
	while (list) {
		het_event &e = event_of(*take_first(&list));
		append(&list, core().graph.show(e));
		close(e);
		*end = &e;
		end = &e.next_ready;
	}
	return closed;
}

// Does all that the end of one command brings, but for what has become ready, which is returned, and for what comes
// home.
node *settle(het_event &e, int status, bool comes_home = false)
{
	// The queue's error callback comes before everything else. Who frees what the command used need not wait for
	// that, which may be this thread.
	if (!may_call_program() && reports(e, status)) {
		core().graph.locked([&] { e.has_ended = true; });
		e.put_off_status = status;
		put_off_end(e);
		note_progress();
		return nullptr;
	}
	e.ended = e.ended ? e.ended : now_ns();
	forget_deadline(e);
	if (executor *where = e.where.load())
		where->discount(e);
	if (reports(e, status))
		report_event(e, status);
	e.end_status = status;
	command_graph::ending end = core().graph.finish(e, status, comes_home);
	if (end.shown) {
		// All are closed before the first callback, which may wait for one of them by freeing memory.
		close(e);
		node *others = close_all(end.to_show);
		conclude(e);
		conclude_all(others);
	} else {
		note_progress();
	}
	return end.ready;
}

// --- what comes home behind its kernel -------------------------------------------------------

void conclude_in_its_thread(het_event &e)
{
	faults_taken by_program_code; // lets callbacks touch trapped memory
	conclude(e);
}

constinit event_thread concludes("het-show", conclude_in_its_thread);

// No code of the program's is called here, and nothing released: either may wait for what this thread is to bring home,
// by a touch, or by freeing memory.
void bring_in_its_thread(het_event &e)
{
	delay_point();
	e.bring_home();
	note_progress();
	node *closed = core().graph.is_home(e) ? close_all(&e) : nullptr;
	while (closed)
		concludes.add(event_of(*take_first(&closed)));
}

constinit event_thread brings("het-home", bring_in_its_thread);

// Whoever waits for its end brings it home himself. But those that have become ready are not to wait for that, nor is
// anything that comes to a worker.
void see_home(het_event &e, bool others_are_ready)
{
	if ((others_are_ready || is_worker()) && concludes.start() && brings.start()) {
		brings.add(e);
		return;
	}
	e.bring_home();
	note_progress();
	if (core().graph.is_home(e))
		conclude_all(close_all(&e));
}

// --- what comes home when the program has been told ------------------------------------------

// Nobody waits for this thread, so it may give references back, which may run code of the program's.
void bring_later_in_its_thread(het_event &e)
{
	delay_point();
	e.bring_later();
	faults_taken by_program_code;
	core().unfinished.fetch_sub(1);
	note_progress();
	e.release();
}

constinit event_thread brings_later("het-prefetch", bring_later_in_its_thread, &het_event::next_to_bring);

// Its reference and its place among the unfinished go with it.
void see_later(het_event &e)
{
	if (brings_later.start())
		brings_later.add(e);
	else
		bring_later_in_its_thread(e);
}

// This is a mutant, which a test must notice.
node *settle_early(het_event &e, int status)
{
	reference<het_event> kept = reference<het_event>::to(&e);
	node *ready = settle(e, status);
	delay_point();
	e.bring_home();
	return ready;
}

// What was before a command that went behind it may have failed since. What it has made of that need not come home, but
// those bytes are not to stay on their way.
int status_after_others(het_event &e, int status)
{
	int inherited = e.behind ? e.inherited.load() : 0;
	if (!inherited)
		return status;
	if (std::exchange(e.comes_home, false))
		e.bring_home();
	if (std::exchange(e.comes_later, false))
		e.bring_later();
	return inherited;
}

// Returns what the end has made ready.
node *end_one(het_event &e, int status)
{
	status = status_after_others(e, status);
	bool comes_home = e.comes_home, early = comes_home && is_mutant(mutant::told);
	reference<het_event> comes_later;
	if (e.comes_later) {
		comes_later = reference<het_event>::to(&e);
		core().unfinished.fetch_add(1);
	}
	node *ready = early ? settle_early(e, status) : settle(e, status, comes_home);
	if (comes_home && !early)
		see_home(e, ready != nullptr);
	if (comes_later)
		see_later(*comes_later.give_up());
	return ready;
}

// A dependent is ready: it ends at once, or goes to its executor. Returns what its end has made ready.
node *hand_out(het_event &e)
{
	int inherited = e.inherited;
	if (e.has_ended)
		return end_one(e, e.end_status);
	if (!e.behind && (inherited || e.is_empty()))
		return settle(e, inherited);
	e.where.load()->hand_over(e);
	return nullptr;
}

// It is not recursive, as chains of empty or failed commands may be long.
void hand_out_all(node *ready)
{
	while (ready) {
		node *n = take_first(&ready);
		if (node *more = hand_out(event_of(*n))) {
			append(&more, ready);
			ready = more;
		}
	}
}

// It ends after others, and the callbacks of those may free what it has used: they can't wait for its bytes.
void bring_home_before(het_event &e)
{
	if (core().graph.is_behind(e) && std::exchange(e.comes_home, false))
		e.bring_home();
}

// What went behind others ends after them, by whoever ends the last of these.
void finish_chain(het_event &e, int status)
{
	e.end_status = status;
	if (e.comes_home)
		bring_home_before(e);
	if (!e.behind || core().graph.may_finish(e))
		hand_out_all(end_one(e, status));
	else
		note_progress();
}

void see_to_put_off(het_event &e)
{
	if (!e.is_finished()) {
		finish_chain(e, e.put_off_status);
		return;
	}
	call_back(e, e.put_off_callbacks, e.end_status);
	e.release();
}

void tell_in_its_thread(het_event &e)
{
	of_teller = true;
	faults_taken by_program_code; // lets callbacks touch trapped memory
	see_to_put_off(e);
}

constinit event_thread tells("het-tell", tell_in_its_thread);

} // namespace

// The outermost call has what was put off meanwhile done.
void finish(het_event &e, int status)
{
	finishing++;
	finish_chain(e, status);
	while (het_event *later = finishing == 1 && !is_helping() ? next_put_off() : nullptr) {
		if (tells_elsewhere)
			tells.add(*later);
		else
			see_to_put_off(*later);
	}
	finishing--;
}

bool start_teller()
{
	return tells.start(true);
}

void tell_elsewhere()
{
	tells_elsewhere = true;
}

bool is_teller()
{
	return of_teller;
}

namespace
{

// Sees to it that commands have become more urgent where they are.
class rise
{
      public:
	// The graph's lock is held.
	void add(het_event &e)
	{
		executor *where = e.where.load();
		if (where && !where->move_up(e))
			e.add_lanes(under_way_);
	}
	// No lock is held.
	void tell_devices(int8_t level) const
	{
		for (unsigned i = 0; i < core().ndevices; i++) {
			for (unsigned lane = 0; under_way_[i] >> lane; lane++)
				if (under_way_[i] >> lane & 1)
					core().devices[i]->compute->raised(lane, level);
		}
	}

      private:
	uint32_t under_way_[most_devices] = {}; // has the lanes of each device
};

// What it waits for must not be held back by what is less urgent than itself.
void raise_what_it_waits_for(het_event &e)
{
	rise r;
	core().graph.raise_predecessors(e, [&](node &n) { r.add(event_of(n)); });
	r.tell_devices(e.level.load());
}

// The command, and what it waits for, becomes so urgent.
void raise_command(het_event &e, int8_t level)
{
	rise r;
	core().graph.raise_node(e, level, [&](node &n) { r.add(event_of(n)); });
	r.tell_devices(level);
}

} // namespace

namespace
{

// Adds it by add(), which returns what the graph says.
template <class F> int enqueue_by(het_event *e, const command_graph::follower &then, F add)
{
	uint32_t count = then.n ? 2 : 1;
	reference<het_event> kept; // is for what is done after it may have ended
	// A deadline may bring the second level while the command is on its way into the graph.
	if (levels_in_use().are_several() || e->deadline)
		kept = reference<het_event>::to(e);
	core().unfinished.fetch_add(count);
	if (e->deadline)
		watch_deadline(*e, raise_command);
	delay_point();
	switch (add()) {
	case command_graph::added::ready:
		if (e->is_empty())
			finish(*e, e->inherited);
		else
			e->where.load()->offer(*e);
		return 0;
	case command_graph::added::waiting:
		if (kept)
			raise_what_it_waits_for(*e);
		// What it waits for may be in flight with nobody looking.
		core().for_executors([](executor &x) { x.attend(); });
		return 0;
	default:
		core().unfinished.fetch_sub(count);
		forget_deadline(*e);
		e->release();
		if (then.n)
			event_of(*then.n).release();
		return fail(HET_ENOMEM, "no memory for the order of commands");
	}
}

} // namespace

int enqueue(het_event *e, const command_graph::place &p, const command_graph::follower &then)
{
	return enqueue_by(e, then, [&] { return core().graph.add(*e, p, then); });
}

int enqueue_before(het_event *e, const command_graph::follower &then, overtaking &o)
{
	e->level.store(std::max(e->level.load(), levels_in_use().highest()));
	return enqueue_by(e, then, [&] {
		command_graph::added a;
		do
			a = core().graph.add_before(*e, then, o);
		while (a == command_graph::added::no_memory && o.lacks_room() && o.make_room());
		return a;
	});
}

void raise_users(range bytes)
{
	rise r;
	const int8_t level = levels_in_use().highest();
	core().graph.raise_users(
		bytes, level, [](const node &n) { return static_cast<const het_event &>(n).begun; },
		[&](node &n) { r.add(event_of(n)); });
	r.tell_devices(level);
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

void wait_for_ends(het_event &e)
{
	if (core().graph.give_back(e))
		hand_out_all(&e);
	else
		core().for_executors([](executor &x) { x.attend(); });
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
