// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The host uses bytes of buffers where the runtime has them: nothing is copied.
#include "calls.h"
#include "codes.h"
#include "command.h"
#include "in_place.h"

namespace hetcl
{

namespace
{

constexpr cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

uint32_t access_of(cl_map_flags flags)
{
	return flags & CL_MAP_WRITE_INVALIDATE_REGION ? HET_WRITE_ONLY
	       : flags & CL_MAP_WRITE                 ? HET_READ_WRITE
						      : HET_READ_ONLY;
}

cl_int check_map(command &c, cl_mem m, cl_map_flags flags, size_t offset, size_t size)
{
	cl_int err = c.check();
	if (!err)
		err = c.check(m, CL_INVALID_MEM_OBJECT);
	if (err)
		return err;
	const bool both = flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE);
	if (flags & ~(CL_MAP_READ | writes) || both || !size || !m->has(offset, size))
		return CL_INVALID_VALUE;
	if (!m->suits(c.device()))
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	const cl_mem_flags refused = CL_MEM_HOST_NO_ACCESS | (flags & CL_MAP_READ ? CL_MEM_HOST_WRITE_ONLY : 0) |
				     (flags & writes ? CL_MEM_HOST_READ_ONLY : 0);
	return m->flags & refused ? CL_INVALID_OPERATION : CL_SUCCESS;
}

} // namespace

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocks, cl_map_flags flags, size_t offset, size_t size,
			 cl_uint nwaits, const cl_event *waits, cl_event *event, cl_int *error)
{
	command c(q, CL_COMMAND_MAP_BUFFER, nwaits, waits, event);
	if (cl_int err = check_map(c, m, flags, offset, size))
		return refuse(err, error);
	void *pointer = nullptr;
	if (int err = show_to_host(c, *m, offset, size, access_of(flags), &pointer))
		return refuse(code_of(err), error);
	m->add_map(pointer);
	const cl_int err = c.end(0, blocks);
	if (err)
		m->take_map(pointer);
	return give(err ? nullptr : pointer, err, error);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer, cl_uint nwaits, const cl_event *waits,
			       cl_event *event)
{
	command c(q, CL_COMMAND_UNMAP_MEM_OBJECT, nwaits, waits, event);
	cl_int err = c.check();
	if (!err)
		err = c.check(m, CL_INVALID_MEM_OBJECT);
	if (err)
		return err;
	if (!m->take_map(pointer))
		return CL_INVALID_VALUE;
	err = c.mark(); // what the host has written is known
	if (err)
		m->add_map(pointer);
	return err;
}

} // namespace hetcl
