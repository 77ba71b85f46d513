// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "command_buffer.h"

#include "calls.h"
#include "command.h"
#include "info.h"

namespace hetcl
{

namespace
{

using buffer = _cl_command_buffer_khr;

cl_int take_properties(const cl_command_buffer_properties_khr *given, buffer &b)
{
	for (const cl_command_buffer_properties_khr *p = given; p && *p; p += 2) {
		if (*p != CL_COMMAND_BUFFER_FLAGS_KHR || !b.properties.empty())
			return CL_INVALID_VALUE;
		b.flags = p[1];
		b.properties = {p[0], p[1]};
	}
	if (given)
		b.properties.push_back(0);
	if (b.flags & CL_COMMAND_BUFFER_MUTABLE_KHR)
		return CL_INVALID_PROPERTY;
	return b.flags & ~cl_command_buffer_flags_khr{CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR} ? CL_INVALID_VALUE
											      : CL_SUCCESS;
}

cl_command_queue make_recorder(const _cl_command_queue &q)
{
	auto *r = new _cl_command_queue;
	r->context = q.context;
	r->device = q.device;
	r->flags = q.flags;
	return r;
}

// What waits for an event names it, so it must stay the program's.
using own_event = owner<_cl_event, hetcl::clReleaseEvent>;
using wait_list = std::vector<cl_event>;

cl_int enqueue_with(const recorded_call &call, cl_command_queue q, const wait_list &waits, cl_event *event)
{
	return call(q, cl_uint(waits.size()), waits.empty() ? nullptr : waits.data(), event);
}

// All wait for what is given, and the end for all of them: so none runs, and the end fails, if that fails. If one is
// refused those before it are under way all the same. The buffer's lock is held.
cl_int enqueue_all(buffer &b, cl_command_queue q, const wait_list &given, cl_event *end)
{
	std::vector<own_event> kept;
	wait_list made;
	const auto give_up = [&](cl_int err) {
		for (cl_event e : made)
			b.under_way.emplace_back(e);
		return err;
	};
	for (const recorded_command &c : b.commands) {
		wait_list waits = given;
		for (size_t i : c.after)
			waits.push_back(made[i]);
		cl_event e = nullptr;
		if (cl_int err = enqueue_with(c.enqueue, q, waits, &e))
			return give_up(err);
		kept.emplace_back(e);
		made.push_back(e);
	}
	cl_int err = enqueue_with(hetcl::clEnqueueMarkerWithWaitList, q, made.empty() ? given : made, end);
	return err ? give_up(err) : err;
}

// Another queue may take the place of the recorded one if it is alike.
cl_int choose_queue(const buffer &b, cl_uint n, const cl_command_queue *queues, cl_command_queue &chosen)
{
	if (!n != !queues || n > 1)
		return CL_INVALID_VALUE;
	chosen = n ? queues[0] : b.queue.get();
	if (!is_valid(chosen))
		return CL_INVALID_COMMAND_QUEUE;
	if (chosen->context.get() != b.queue->context.get())
		return CL_INVALID_CONTEXT;
	const bool alike = chosen->device == b.queue->device && chosen->flags == b.queue->flags;
	return alike ? CL_SUCCESS : CL_INCOMPATIBLE_COMMAND_QUEUE_KHR;
}

cl_int state_of(buffer &b, answer &a)
{
	const std::lock_guard g(b.lock);
	cl_command_buffer_state_khr state = CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
	if (b.is_final)
		state = b.is_pending() ? CL_COMMAND_BUFFER_STATE_PENDING_KHR : CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
	return a.value(state);
}

const info_row<buffer> rows[] = {
	{CL_COMMAND_BUFFER_QUEUES_KHR, [](const buffer &b, answer &a) { return a.value(b.queue.get()); }},
	{CL_COMMAND_BUFFER_NUM_QUEUES_KHR, [](const buffer &, answer &a) { return a.value(cl_uint{1}); }},
	{CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
	 [](const buffer &b, answer &a) { return a.value(b.references.load()); }},
	{CL_COMMAND_BUFFER_STATE_KHR, [](const buffer &b, answer &a) { return state_of(const_cast<buffer &>(b), a); }},
	{CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, [](const buffer &b, answer &a) { return a.list(b.properties); }},
};

} // namespace

cl_int record(cl_command_buffer_khr b, cl_command_queue q, std::span<const cl_sync_point_khr> after,
	      cl_sync_point_khr *point, const cl_mutable_command_khr *handle, recorded_call enqueue, recorded_as what)
{
	const std::lock_guard g(b->lock);
	if (b->is_final)
		return CL_INVALID_OPERATION;
	if (q)
		return CL_INVALID_COMMAND_QUEUE;
	if (handle)
		return CL_INVALID_VALUE;
	recorded_command c;
	for (cl_sync_point_khr p : after) {
		if (!p || p > b->commands.size())
			return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
		c.after.push_back(p - 1);
	}
	if (b->behind)
		c.after.push_back(b->behind - 1);
	const bool is_behind_all = what == recorded_as::barrier && after.empty();
	for (size_t i = 0; is_behind_all && i < b->commands.size(); i++)
		c.after.push_back(i);
	if (cl_int err = enqueue(b->recorder.get(), 0, nullptr, nullptr))
		return err;
	c.enqueue = std::move(enqueue);
	b->commands.push_back(std::move(c));
	if (what == recorded_as::barrier)
		b->behind = b->commands.size();
	if (point)
		*point = cl_sync_point_khr(b->commands.size());
	return CL_SUCCESS;
}

cl_command_buffer_khr CL_API_CALL clCreateCommandBufferKHR(cl_uint n, const cl_command_queue *queues,
							   const cl_command_buffer_properties_khr *properties,
							   cl_int *error)
{
	if (n != 1 || !queues)
		return refuse(CL_INVALID_VALUE, error);
	if (!is_valid(queues[0]))
		return refuse(CL_INVALID_COMMAND_QUEUE, error);
	auto *b = new buffer;
	b->queue = held(queues[0]);
	b->recorder = held(make_recorder(*queues[0]));
	let_go(b->recorder.get()); // which is the buffer's alone
	if (cl_int err = take_properties(properties, *b)) {
		let_go(b);
		return refuse(err, error);
	}
	return give(b, CL_SUCCESS, error);
}

cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr b)
{
	return retain(b, CL_INVALID_COMMAND_BUFFER_KHR);
}

cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr b)
{
	return release(b, CL_INVALID_COMMAND_BUFFER_KHR);
}

cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr b)
{
	if (!is_valid(b))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	const std::lock_guard g(b->lock);
	return std::exchange(b->is_final, true) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

// Its commands are enqueued one by one: others of the program's threads may come between them.
cl_int CL_API_CALL clEnqueueCommandBufferKHR(cl_uint n, cl_command_queue *queues, cl_command_buffer_khr b,
					     cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	if (!is_valid(b))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	cl_command_queue q = nullptr;
	cl_int err = choose_queue(*b, n, queues, q);
	if (!err)
		err = command(q, CL_COMMAND_COMMAND_BUFFER_KHR, nwaits, waits, nullptr).check();
	if (err)
		return err;
	const std::lock_guard g(b->lock);
	if (!b->is_final || (b->is_pending() && !(b->flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)))
		return CL_INVALID_OPERATION;
	const wait_list given(waits, waits + nwaits);
	cl_event end = nullptr;
	if (cl_int failed = enqueue_all(*b, q, given, &end))
		return failed;
	end->type = CL_COMMAND_COMMAND_BUFFER_KHR;
	b->under_way.emplace_back(end);
	if (event)
		*event = end;
	else
		hetcl::clReleaseEvent(end);
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCommandBufferInfoKHR(cl_command_buffer_khr b, cl_command_buffer_info_khr what, size_t room,
					     void *value, size_t *size)
{
	if (!is_valid(b))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	return look_up(rows, what, *b, {room, value, size});
}

} // namespace hetcl

bool _cl_command_buffer_khr::is_pending()
{
	std::erase_if(under_way, [](const hetcl::held<_cl_event> &e) { return e->status() <= CL_COMPLETE; });
	return !under_way.empty();
}
