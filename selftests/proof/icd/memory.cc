// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// OpenCL's buffers are memory objects of the runtime's here.
#include "objects.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

namespace
{

std::mutex live_lock;
std::set<const void *> live;

} // namespace

_cl_mem::_cl_mem()
{
	std::lock_guard g(live_lock);
	live.insert(this);
}

_cl_mem::~_cl_mem()
{
	std::lock_guard g(live_lock);
	live.erase(this);
}

namespace icd
{

bool is_buffer(const void *handle)
{
	std::lock_guard g(live_lock);
	return live.count(handle) != 0;
}

// Memory of the program's would be a host range, which the runtime takes as well, but a skeleton does without.
cl_mem clCreateBuffer(cl_context, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
	if (flags & CL_MEM_USE_HOST_PTR)
		return give<_cl_mem>(nullptr, CL_INVALID_VALUE, error);
	het_memory *made = nullptr;
	if (int err = het_memory_create(size, &made))
		return give<_cl_mem>(nullptr, code_of(err), error);
	auto *m = new _cl_mem;
	m->memory.reset(made);
	if (flags & CL_MEM_COPY_HOST_PTR)
		memcpy(het_memory_pointer(made), host, size);
	return give(m, CL_SUCCESS, error);
}

cl_int clRetainMemObject(cl_mem m)
{
	return retain(m, CL_INVALID_MEM_OBJECT);
}

cl_int clReleaseMemObject(cl_mem m)
{
	return release(m, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size, void *to,
			   cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(nwaits, waits);
	auto a = c.arguments<het_copy_args>();
	a.to_pointer = to;
	a.from = m->memory.get();
	a.from_offset = offset;
	a.nbytes = size;
	return c.end(het_copy(q->queue.get(), &a, c.out()), blocking, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
			    const void *from, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(nwaits, waits);
	auto a = c.arguments<het_copy_args>();
	a.to = m->memory.get();
	a.to_offset = offset;
	a.from_pointer = from;
	a.nbytes = size;
	return c.end(het_copy(q->queue.get(), &a, c.out()), blocking, event);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
			       const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
			       size_t to_row, size_t to_slice, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(nwaits, waits);
	auto a = c.arguments<het_copy_rect_args>();
	a.to.memory = to->memory.get();
	a.to.row_pitch = to_row;
	a.to.slice_pitch = to_slice;
	a.from.memory = from->memory.get();
	a.from.row_pitch = from_row;
	a.from.slice_pitch = from_slice;
	std::copy_n(to_origin, 3, a.to.origin);
	std::copy_n(from_origin, 3, a.from.origin);
	std::copy_n(region, 3, a.region);
	return c.end(het_copy_rect(q->queue.get(), &a, c.out()), CL_FALSE, event);
}

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size,
			 cl_uint nwaits, const cl_event *waits, cl_event *event, cl_int *error)
{
	command c(nwaits, waits);
	auto a = c.arguments<het_map_args>();
	a.memory = m->memory.get();
	a.offset = offset;
	a.nbytes = size;
	a.access = flags & CL_MAP_WRITE_INVALIDATE_REGION ? HET_WRITE_ONLY
		   : flags & CL_MAP_WRITE                 ? HET_READ_WRITE
							  : HET_READ_ONLY;
	void *pointer = nullptr;
	int err = het_map(q->queue.get(), &a, &pointer, c.out());
	return give(pointer, c.end(err, blocking, event), error);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer, cl_uint nwaits, const cl_event *waits,
			       cl_event *event)
{
	command c(nwaits, waits);
	auto a = c.arguments<het_unmap_args>();
	a.memory = m->memory.get();
	a.pointer = pointer;
	return c.end(het_unmap(q->queue.get(), &a, c.out()), CL_FALSE, event);
}

} // namespace icd
