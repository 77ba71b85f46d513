// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The host uses bytes of buffers and images where the runtime has them: nothing is copied.
#include "calls.h"
#include "codes.h"
#include "image_places.h"
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

bool are_possible(cl_map_flags flags)
{
	const bool both = flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE);
	return !(flags & ~(CL_MAP_READ | writes)) && !both;
}

bool may_map(cl_mem_flags of, cl_map_flags flags)
{
	const cl_mem_flags refused = CL_MEM_HOST_NO_ACCESS | (flags & CL_MAP_READ ? CL_MEM_HOST_WRITE_ONLY : 0) |
				     (flags & writes ? CL_MEM_HOST_READ_ONLY : 0);
	return !(of & refused);
}

cl_int check_map(command &c, cl_mem m, cl_map_flags flags, size_t offset, size_t size)
{
	cl_int err = c.check();
	if (!err)
		err = c.check(buffer_or_none(m), CL_INVALID_MEM_OBJECT);
	if (err)
		return err;
	if (!are_possible(flags) || !size || !m->has(offset, size))
		return CL_INVALID_VALUE;
	if (!m->suits(c.device()))
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	return may_map(m->flags, flags) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

cl_int check_map(command &c, cl_mem m, cl_map_flags flags, const size_t *origin, const size_t *region,
		 const size_t *row, const size_t *slice)
{
	cl_int err = c.check();
	if (!err)
		err = check_image(c, m, CL_INVALID_MEM_OBJECT);
	if (err)
		return err;
	const bool has_slices = m->image->has_planes() || m->image->is_line_array();
	if (!are_possible(flags) || !m->image->has(origin, region) || !row || (has_slices && !slice))
		return CL_INVALID_VALUE;
	return may_map(m->flags, flags) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

// Ends a call that maps. Returns the pointer, or null.
void *give_map(command &c, _cl_mem &m, bool blocks, cl_map_flags flags, int failure, void *pointer, cl_int *error)
{
	if (failure)
		return refuse(code_of(failure), error);
	m.add_map({pointer, (flags & writes) != 0});
	const cl_int err = c.end(0, blocks);
	if (err)
		m.take_map(pointer);
	return give(err ? nullptr : pointer, err, error);
}

} // namespace

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocks, cl_map_flags flags, size_t offset, size_t size,
			 cl_uint nwaits, const cl_event *waits, cl_event *event, cl_int *error)
{
	command c(q, CL_COMMAND_MAP_BUFFER, nwaits, waits, event);
	if (cl_int err = check_map(c, m, flags, offset, size))
		return refuse(err, error);
	void *pointer = nullptr;
	const int failure = show_to_host(c, *m, offset, size, access_of(flags), &pointer);
	return give_map(c, *m, blocks, flags, failure, pointer, error);
}

void *clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocks, cl_map_flags flags, const size_t *origin,
			const size_t *region, size_t *row, size_t *slice, cl_uint nwaits, const cl_event *waits,
			cl_event *event, cl_int *error)
{
	command c(q, CL_COMMAND_MAP_IMAGE, nwaits, waits, event);
	if (cl_int err = check_map(c, m, flags, origin, region, row, slice))
		return refuse(err, error);
	const image &i = *m->image;
	void *pointer = nullptr;
	auto order = order_images();
	int failure = bring_home(c, *m);
	// Bytes between the rows are shown too, so nothing of the rest may be lost.
	const uint32_t access = flags & writes ? HET_READ_WRITE : HET_READ_ONLY;
	if (!failure)
		failure = show_to_host(c, *m, i.offset_of(origin), i.length_of(region), access, &pointer);
	if (!failure && flags & writes)
		note_written_at_home(*m);
	order.unlock();
	*row = i.shape.image_row_pitch;
	if (slice)
		*slice = i.shape.image_slice_pitch;
	return give_map(c, *m, blocks, flags, failure, pointer, error);
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
	const _cl_mem::mapping taken = m->take_map(pointer);
	if (!taken.pointer)
		return CL_INVALID_VALUE;
	const int failure = c.enqueue_mark(); // what the host has written is known
	if (failure)
		m->add_map(taken);
	else if (taken.is_written)
		note_unmapped(*m, c.made());
	return c.end(failure);
}

} // namespace hetcl
