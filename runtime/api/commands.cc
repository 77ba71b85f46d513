// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches, markers, barriers and events cross the C boundary here. het.h documents each function.
#include "api/command.h"
#include "api/public.h"
#include "core/deadlines.h"
#include "core/dispatch.h"
#include "core/launch.h"
#include "core/levels.h"
#include "core/sentences.h"
#include "core/sliced_launch.h"
#include "core/split_launch.h"
#include "core/start.h"
#include "os/clock.h"

#include <bit>
#include <cstddef>
#include <new>
#include <utility>

using namespace het;
using namespace het::rt;

namespace
{

// Adds markers and barriers. With a wait list they wait for that alone (and for what holds up the queue).
int mark(const char *call, het_queue *queue, ordering how, size_t nwaits, het_event *const *waits, het_event **event)
{
	if (int err = check_started())
		return err;
	if (!queue)
		return fail(HET_ENULL, "%s: null queue", call);
	if (int err = check_waits(call, nwaits, waits))
		return err;
	wait_list list;
	reference<het_event> e(new (std::nothrow) het_event(queue));
	if (!e || !list.take(nwaits, waits))
		return fail(HET_ENOMEM, "%s: out of memory", call);
	if (nwaits)
		how = how == ordering::marker ? usual_order(*queue) : ordering::fence;
	return send(std::move(e), {&queue->commands, how, list.nodes}, event);
}

// Prepares a launch that has its arguments, or is null where there was no memory for it. Returns 0, a code,
// split_launch::unsplit or launch::wants_slices. It came @came, whatever was tried since.
template <class C>
int prepare_and_send(const reference<C> &c, const het_launch_args &args, uint64_t came, het_event **event)
{
	wait_list waits;
	if (!c || !waits.take(args.nwaits, args.waits))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	c->queued = came;
	if (args.priority)
		c->level.store(int8_t(args.priority), std::memory_order_relaxed);
	set_deadline(*c, args.deadline_ns ? args.deadline_ns : c->queue->deadline_ns);
	levels_in_use().note(c->level.load(std::memory_order_relaxed));
	if (int err = c->prepare())
		return err;
	het_queue &queue = *c->queue;
	return send(reference<het_event>::to(c.get()), {&queue.commands, usual_order(queue), waits.nodes}, event);
}

} // namespace

GPUVM_PUBLIC int het_launch(het_queue *queue, const het_launch_args *args, het_event **event)
{
	if (args && !args->kernel)
		return fail(HET_ENULL, "het_launch: null kernel");
	const uint64_t came = now_ns();
	het_launch_args a = {};
	if (int err = accept_command("het_launch", queue, args, a, offsetof(het_launch_args, priority)))
		return err;
	if (int err = check_priority("het_launch", a.priority))
		return err;
	if (a.reserved)
		return fail(HET_EARG, "het_launch: reserved is %u and must be 0", a.reserved);
	kernel_arguments taken;
	if (int err = taken.take(a))
		return err;
	// What cannot be split runs on one device.
	reference<split_launch> split;
	if (std::popcount(queue->devices) > 1 && taken.may_be_split()) {
		split = reference<split_launch>(new (std::nothrow) split_launch(*queue, std::move(taken)));
		int err = prepare_and_send(split, a, came, event);
		if (err != split_launch::unsplit)
			return err;
	}
	kernel_arguments whole = split ? split->give_back() : std::move(taken);
	reference<launch> one(new (std::nothrow) launch(*queue, std::move(whole)));
	int err = prepare_and_send(one, a, came, event);
	if (err != launch::wants_slices)
		return err;
	uint32_t devices = one->too_small();
	reference<sliced_launch> sliced(new (std::nothrow) sliced_launch(*queue, one->give_back(), devices));
	return prepare_and_send(sliced, a, came, event);
}

GPUVM_PUBLIC int het_marker(het_queue *queue, size_t nwaits, het_event *const *waits, het_event **event)
{
	return mark("het_marker", queue, ordering::marker, nwaits, waits, event);
}

GPUVM_PUBLIC int het_barrier(het_queue *queue, size_t nwaits, het_event *const *waits, het_event **event)
{
	return mark("het_barrier", queue, ordering::barrier, nwaits, waits, event);
}

// --- events --------------------------------------------------------------------

GPUVM_PUBLIC int het_event_wait(size_t nevents, het_event *const *events)
{
	int err = check_started();
	if (!err)
		err = check_waits("het_event_wait", nevents, events);
	if (err)
		return err;
	for (size_t i = 0; i < nevents; i++)
		wait_for(*events[i]);
	for (size_t i = 0; i < nevents; i++) {
		if (events[i]->status.load() < 0)
			return HET_EWAIT;
	}
	return 0;
}

GPUVM_PUBLIC int het_event_status(het_event *event, int *status)
{
	if (!event || !status)
		return fail(HET_ENULL, "het_event_status: a null argument");
	// A caller who asks again and again wants it to get on.
	executor *where = event->where.load();
	if (where && !event->is_finished())
		where->attend();
	*status = event->status.load();
	return 0;
}

GPUVM_PUBLIC int het_event_callback(het_event *event, het_event_fn fn, void *arg)
{
	if (int err = check_started())
		return err;
	if (!event || !fn)
		return fail(HET_ENULL, "het_event_callback: a null argument");
	auto *c = new (std::nothrow) callback{nullptr, fn, arg};
	if (!c)
		return fail(HET_ENOMEM, "het_event_callback: out of memory");
	// The function may release the caller's reference, on another thread and at once.
	const reference<het_event> kept = reference<het_event>::to(event);
	if (event->add_callback(*c)) {
		if (executor *where = event->where.load())
			where->attend();
		return 0;
	}
	delete c;
	fn(event, event->status.load(), arg);
	return 0;
}

GPUVM_PUBLIC int het_event_profile(het_event *event, struct het_event_times *times)
{
	if (!event)
		return fail(HET_ENULL, "het_event_profile: null event");
	if (!event->is_finished())
		return fail(HET_ESTATE, "het_event_profile: the command has not finished");
	het_event &e = *event;
	uint64_t submitted = std::max(e.queued, e.on_device.submitted);
	uint64_t started = std::max(submitted, e.started);
	return give("het_event_profile", times, {0, e.queued, submitted, started, std::max(started, e.ended)});
}

GPUVM_PUBLIC int het_event_parts(het_event *event, uint32_t *count)
{
	if (!event || !count)
		return fail(HET_ENULL, "het_event_parts: null %s", event ? "count" : "event");
	if (!event->is_finished())
		return fail(HET_ESTATE, "het_event_parts: the command has not finished");
	*count = event->nparts();
	return 0;
}

GPUVM_PUBLIC int het_event_part(het_event *event, uint32_t number, struct het_event_part_info *info)
{
	if (!event)
		return fail(HET_ENULL, "het_event_part: null event");
	if (!event->is_finished())
		return fail(HET_ESTATE, "het_event_part: the command has not finished");
	if (number >= event->nparts())
		return fail(HET_EARG, "het_event_part: the command has no part %u", number);
	return give("het_event_part", info, event->part(number));
}

GPUVM_PUBLIC int het_event_counters(het_event *event, struct het_launch_counters *counters)
{
	if (!event)
		return fail(HET_ENULL, "het_event_counters: null event");
	if (!event->is_finished())
		return fail(HET_ESTATE, "het_event_counters: the command has not finished");
	const auto &notes = event->on_device.notes;
	return give("het_event_counters", counters, notes ? notes->counters() : het_launch_counters{});
}

GPUVM_PUBLIC int het_event_preemption(het_event *event, struct het_preemption *preemption)
{
	if (!event)
		return fail(HET_ENULL, "het_event_preemption: null event");
	if (!event->is_finished())
		return fail(HET_ESTATE, "het_event_preemption: the command has not finished");
	const stop_record &r = event->on_device.stopped;
	const uint64_t deadline = event->deadline;
	return give("het_event_preemption", preemption,
		    {.size = 0,
		     .stops = r.stops,
		     .saved_blocks = r.saved_blocks,
		     .saved_bytes = r.saved_bytes,
		     .waiting_blocks = r.waiting_blocks,
		     .rescues = r.rescues,
		     .away_ns = r.away_ns,
		     .deadline_ns = deadline ? deadline - event->queued : 0,
		     .late_ns = deadline && event->ended > deadline ? event->ended - deadline : 0,
		     .base_blocks = r.base_blocks,
		     .base_bytes = r.base_bytes,
		     .delta_blocks = r.delta_blocks,
		     .delta_bytes = r.delta_bytes},
		    offsetof(het_preemption, deadline_ns));
}

GPUVM_PUBLIC int het_event_memory(het_event *event, struct het_memory_use *use)
{
	if (!event)
		return fail(HET_ENULL, "het_event_memory: null event");
	if (!event->is_finished())
		return fail(HET_ESTATE, "het_event_memory: the command has not finished");
	het_memory_use found = event->on_memory ? *event->on_memory : het_memory_use{};
	found.level = event->level.load();
	return give("het_event_memory", use, found);
}

GPUVM_PUBLIC int het_event_site(het_event *event, uint32_t number, struct het_site_counters *site)
{
	if (!event)
		return fail(HET_ENULL, "het_event_site: null event");
	if (!event->is_finished())
		return fail(HET_ESTATE, "het_event_site: the command has not finished");
	const auto &notes = event->on_device.notes;
	het_site_counters counted = {};
	if (!notes || !notes->site(number, counted))
		return fail(HET_EARG, "het_event_site: the launch has no counters for an instruction %u", number);
	return give("het_event_site", site, counted);
}

GPUVM_PUBLIC int het_user_event_create(het_event **event)
{
	if (int err = check_started())
		return err;
	if (!event)
		return fail(HET_ENULL, "het_user_event_create: null event");
	reference<het_event> e(new (std::nothrow) het_event(nullptr));
	if (!e)
		return fail(HET_ENOMEM, "het_user_event_create: out of memory");
	e->retain(); // the runtime's reference, until it has finished
	open_user_event(*e);
	*event = e.give_up();
	return 0;
}

GPUVM_PUBLIC int het_user_event_set(het_event *event, int status)
{
	if (int err = check_started())
		return err;
	if (!event)
		return fail(HET_ENULL, "het_user_event_set: null event");
	if (event->queue || status > HET_COMPLETE)
		return fail(HET_EARG, "het_user_event_set: %s", event->queue ? "not a user event" : "a status above 0");
	if (!claim(*event))
		return fail(HET_ESTATE, "het_user_event_set: the event has finished");
	finish(*event, status);
	return 0;
}

GPUVM_PUBLIC int het_event_retain(het_event *event)
{
	if (!event)
		return fail(HET_ENULL, "het_event_retain: null event");
	event->retain();
	return 0;
}

GPUVM_PUBLIC int het_event_release(het_event *event)
{
	if (!event)
		return fail(HET_ENULL, "het_event_release: null event");
	if (!core().forked.load(std::memory_order_relaxed))
		event->release();
	return 0;
}

GPUVM_PUBLIC const char *het_strerror(int err)
{
	return sentence_of(err);
}

GPUVM_PUBLIC const char *het_last_error()
{
	return last_error();
}
