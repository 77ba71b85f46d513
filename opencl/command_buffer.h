// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// cl_khr_command_buffer: commands that are recorded once, and enqueued often.
#pragma once

#include "queue.h"

#include <CL/cl_ext.h>
#include <functional>
#include <mutex>
#include <span>
#include <type_traits>

namespace hetcl
{

// Enqueues a command. Its objects are those that were there when it was recorded.
using recorded_call = std::function<cl_int(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)>;

struct recorded_command {
	recorded_call enqueue;
	std::vector<size_t> after; // the commands that it waits for where the queue keeps no order
};

} // namespace hetcl

struct _cl_command_buffer_khr : hetcl::object<hetcl::kind::command_buffer> {
	hetcl::held<_cl_command_queue> queue;
	// Has the place and properties of the other, and nothing of the runtime's: commands are looked at with it.
	hetcl::held<_cl_command_queue> recorder;
	std::vector<cl_command_buffer_properties_khr> properties; // as given, with the 0 at the end
	cl_command_buffer_flags_khr flags = 0;

	std::mutex lock; // is for what follows
	bool is_final = false;
	std::vector<hetcl::recorded_command> commands;
	size_t behind = 0;                             // the number of the last barrier's command, from 1 on
	std::vector<hetcl::held<_cl_event>> under_way; // of each time that it was enqueued

	// Wants the lock.
	bool is_pending();
};

namespace hetcl
{

enum class recorded_as { command, barrier };

// A sync point is the number of its command, from 1 on.
cl_int record(cl_command_buffer_khr b, cl_command_queue q, std::span<const cl_sync_point_khr> after,
	      cl_sync_point_khr *point, const cl_mutable_command_khr *handle, recorded_call enqueue, recorded_as what);

extern std::remove_pointer_t<clCreateCommandBufferKHR_fn> clCreateCommandBufferKHR;
extern std::remove_pointer_t<clRetainCommandBufferKHR_fn> clRetainCommandBufferKHR;
extern std::remove_pointer_t<clReleaseCommandBufferKHR_fn> clReleaseCommandBufferKHR;
extern std::remove_pointer_t<clFinalizeCommandBufferKHR_fn> clFinalizeCommandBufferKHR;
extern std::remove_pointer_t<clEnqueueCommandBufferKHR_fn> clEnqueueCommandBufferKHR;
extern std::remove_pointer_t<clGetCommandBufferInfoKHR_fn> clGetCommandBufferInfoKHR;
extern std::remove_pointer_t<clCommandBarrierWithWaitListKHR_fn> clCommandBarrierWithWaitListKHR;
extern std::remove_pointer_t<clCommandCopyBufferKHR_fn> clCommandCopyBufferKHR;
extern std::remove_pointer_t<clCommandCopyBufferRectKHR_fn> clCommandCopyBufferRectKHR;
extern std::remove_pointer_t<clCommandCopyBufferToImageKHR_fn> clCommandCopyBufferToImageKHR;
extern std::remove_pointer_t<clCommandCopyImageKHR_fn> clCommandCopyImageKHR;
extern std::remove_pointer_t<clCommandCopyImageToBufferKHR_fn> clCommandCopyImageToBufferKHR;
extern std::remove_pointer_t<clCommandFillBufferKHR_fn> clCommandFillBufferKHR;
extern std::remove_pointer_t<clCommandFillImageKHR_fn> clCommandFillImageKHR;
extern std::remove_pointer_t<clCommandNDRangeKernelKHR_fn> clCommandNDRangeKernelKHR;

} // namespace hetcl
