// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Markers and barriers, those of OpenCL 1.1 too.
#include "calls.h"
#include "command.h"

#include <algorithm>

namespace hetcl
{

namespace
{

using mark_call = int(het_queue *, size_t, het_event *const *, het_event **);

cl_int enqueue(mark_call *mark, cl_command_type type, cl_command_queue q, cl_uint nwaits, const cl_event *waits,
	       cl_event *event)
{
	command c(q, type, nwaits, waits, event);
	const cl_int err = c.check();
	return err ? err : c.end(mark(c.queue(), c.nwaits(), c.waits(), c.out()));
}

} // namespace

cl_int clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	return enqueue(het_marker, CL_COMMAND_MARKER, q, nwaits, waits, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	return enqueue(het_barrier, CL_COMMAND_BARRIER, q, nwaits, waits, event);
}

cl_int clEnqueueMarker(cl_command_queue q, cl_event *event)
{
	if (is_valid(q) && !event)
		return CL_INVALID_VALUE;
	return enqueue(het_marker, CL_COMMAND_MARKER, q, 0, nullptr, event);
}

cl_int clEnqueueBarrier(cl_command_queue q)
{
	return enqueue(het_barrier, CL_COMMAND_BARRIER, q, 0, nullptr, nullptr);
}

cl_int clEnqueueWaitForEvents(cl_command_queue q, cl_uint n, const cl_event *events)
{
	if (!is_valid(q))
		return CL_INVALID_COMMAND_QUEUE;
	if (!n || !events)
		return CL_INVALID_VALUE;
	if (!std::all_of(events, events + n, [](cl_event e) { return is_valid(e); }))
		return CL_INVALID_EVENT;
	return enqueue(het_barrier, CL_COMMAND_BARRIER, q, n, events, nullptr);
}

} // namespace hetcl
