// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Queues and events of OpenCL are those of the runtime here.
#include "objects.h"

namespace icd
{

command::command(cl_uint nwaits, const cl_event *waits)
{
	for (cl_uint i = 0; i < nwaits; i++)
		waits_.push_back(waits[i]->event.get());
}

cl_int command::end(int err, cl_bool blocking, cl_event *event)
{
	if (!err && blocking)
		err = het_event_wait(1, &event_);
	if (err || !event)
		return code_of(err);
	het_event_retain(event_);
	*event = new _cl_event;
	(*event)->event.reset(event_);
	return CL_SUCCESS;
}

cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties properties, cl_int *error)
{
	het_queue_args args = {};
	args.size = sizeof args;
	args.flags = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? 0 : HET_QUEUE_IN_ORDER;
	het_queue *made = nullptr;
	if (int err = het_queue_create(&args, &made))
		return give<_cl_command_queue>(nullptr, code_of(err), error);
	auto *q = new _cl_command_queue;
	q->queue.reset(made);
	return give(q, CL_SUCCESS, error);
}

cl_int clRetainCommandQueue(cl_command_queue q)
{
	return retain(q, CL_INVALID_COMMAND_QUEUE);
}

cl_int clReleaseCommandQueue(cl_command_queue q)
{
	return release(q, CL_INVALID_COMMAND_QUEUE);
}

cl_int clFlush(cl_command_queue)
{
	return CL_SUCCESS; // nothing is ever kept back
}

cl_int clFinish(cl_command_queue q)
{
	return code_of(het_finish(q->queue.get()));
}

cl_int clWaitForEvents(cl_uint n, const cl_event *events)
{
	command c(n, events);
	auto a = c.arguments<het_copy_args>();
	return code_of(het_event_wait(a.nwaits, a.waits));
}

cl_int clRetainEvent(cl_event e)
{
	return retain(e, CL_INVALID_EVENT);
}

cl_int clReleaseEvent(cl_event e)
{
	return release(e, CL_INVALID_EVENT);
}

} // namespace icd
