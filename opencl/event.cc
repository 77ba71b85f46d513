// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "event.h"

#include "callback.h"
#include "calls.h"
#include "codes.h"
#include "info.h"
#include "report.h"

#include <CL/cl_ext_het.h>
#include <algorithm>

namespace hetcl
{

namespace
{

using event = _cl_event;

// The program's own codes are told as they are.
cl_int status_of(int status, bool is_user)
{
	if (is_user)
		return std::min(status, int{CL_SUBMITTED});
	return status < 0 ? code_of(status) : status;
}

// Holds what one call of clSetEventCallback() asks for.
struct callback {
	held<event> of;
	cl_int when;
	void(CL_CALLBACK *notify)(cl_event, cl_int, void *);
	void *arg;
};

// It is called at the end, for states on the way too: they have been reached by then.
void call_back(het_event *, int status, void *arg)
{
	const in_callback here;
	const std::unique_ptr<callback> c(static_cast<callback *>(arg));
	const lent e(c->of.get());
	c->notify(e.get(), status < 0 ? status_of(status, !c->of->queue) : c->when, c->arg);
}

cl_ulong time_of(const event &e, uint64_t het_event_times::*moment)
{
	het_event_times times = {};
	times.size = sizeof(times);
	het_event_profile(e.event.get(), &times);
	return times.*moment;
}

cl_uint parts_of(const event &e)
{
	return e.status() > CL_COMPLETE ? 0 : count_devices(e.event.get());
}

const info_row<event> rows[] = {
	{CL_EVENT_COMMAND_QUEUE, [](const event &e, answer &a) { return a.value(e.queue.get()); }},
	{CL_EVENT_CONTEXT, [](const event &e, answer &a) { return a.value(e.context.get()); }},
	{CL_EVENT_COMMAND_TYPE, [](const event &e, answer &a) { return a.value(e.type); }},
	{CL_EVENT_COMMAND_EXECUTION_STATUS, [](const event &e, answer &a) { return a.value(e.status()); }},
	{CL_EVENT_PARTS_HET, [](const event &e, answer &a) { return a.value(parts_of(e)); }},
	{CL_EVENT_REFERENCE_COUNT, [](const event &e, answer &a) { return a.value(e.references.load()); }},
};

const info_row<event> times[] = {
	{CL_PROFILING_COMMAND_QUEUED,
	 [](const event &e, answer &a) { return a.value(time_of(e, &het_event_times::queued)); }},
	{CL_PROFILING_COMMAND_SUBMIT,
	 [](const event &e, answer &a) { return a.value(time_of(e, &het_event_times::submitted)); }},
	{CL_PROFILING_COMMAND_START,
	 [](const event &e, answer &a) { return a.value(time_of(e, &het_event_times::started)); }},
	{CL_PROFILING_COMMAND_END,
	 [](const event &e, answer &a) { return a.value(time_of(e, &het_event_times::ended)); }},
	{CL_PROFILING_COMMAND_COMPLETE,
	 [](const event &e, answer &a) { return a.value(time_of(e, &het_event_times::ended)); }},
};

} // namespace

cl_int clWaitForEvents(cl_uint n, const cl_event *events)
{
	if (!n || !events)
		return CL_INVALID_VALUE;
	if (!std::all_of(events, events + n, [](cl_event e) { return is_valid(e); }))
		return CL_INVALID_EVENT;
	if (!std::all_of(events, events + n, [&](cl_event e) { return e->context.get() == events[0]->context.get(); }))
		return CL_INVALID_CONTEXT;
	std::vector<het_event *> waits(n);
	std::transform(events, events + n, waits.begin(), [](cl_event e) { return e->event.get(); });
	return code_of(het_event_wait(n, waits.data()));
}

cl_int clGetEventInfo(cl_event e, cl_event_info what, size_t room, void *value, size_t *size)
{
	return is_valid(e) ? look_up(rows, what, *e, {room, value, size}) : CL_INVALID_EVENT;
}

cl_int clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t room, void *value, size_t *size)
{
	if (!is_valid(e))
		return CL_INVALID_EVENT;
	const bool is_measured = e->queue && e->queue->flags & CL_QUEUE_PROFILING_ENABLE;
	if (!is_measured || e->status() != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	return look_up(times, what, *e, {room, value, size});
}

cl_int clRetainEvent(cl_event e)
{
	return retain(e, CL_INVALID_EVENT);
}

cl_int clReleaseEvent(cl_event e)
{
	return release(e, CL_INVALID_EVENT);
}

cl_event clCreateUserEvent(cl_context c, cl_int *error)
{
	if (!is_valid(c))
		return refuse(CL_INVALID_CONTEXT, error);
	het_event *made = nullptr;
	if (int err = het_user_event_create(&made))
		return refuse(code_of(err), error);
	auto *e = new event;
	e->context = held(c);
	e->type = CL_COMMAND_USER;
	e->event.reset(made);
	return give(e, CL_SUCCESS, error);
}

cl_int clSetUserEventStatus(cl_event e, cl_int status)
{
	if (!is_valid(e) || e->queue)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (e->status() <= CL_COMPLETE)
		return CL_INVALID_OPERATION;
	// Another thread may have been faster.
	return het_user_event_set(e->event.get(), status) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event e, cl_int when, void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *arg)
{
	if (!is_valid(e))
		return CL_INVALID_EVENT;
	if (!notify || when < CL_COMPLETE || when > CL_SUBMITTED)
		return CL_INVALID_VALUE;
	const cl_int now = e->status();
	if (now > CL_COMPLETE && now <= when) {
		notify(e, when, arg);
		return CL_SUCCESS;
	}
	auto c = std::make_unique<callback>(callback{held(e), when, notify, arg});
	const int err = het_event_callback(e->event.get(), call_back, c.get());
	if (!err)
		(void)c.release();
	return code_of(err);
}

} // namespace hetcl

cl_int _cl_event::status() const
{
	int now = HET_QUEUED;
	het_event_status(event.get(), &now);
	return hetcl::status_of(now, !queue);
}
