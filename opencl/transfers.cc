// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads, writes, copies and fills of bytes that lie side by side, and hints where they will be used.
#include "calls.h"
#include "command.h"
#include "in_place.h"

#include <algorithm>

namespace hetcl
{

namespace
{

constexpr cl_mem_flags not_read_by_host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags not_written_by_host = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

cl_int check_object(command &c, cl_mem m)
{
	cl_int err = c.check();
	if (!err)
		err = c.check(buffer_or_none(m), CL_INVALID_MEM_OBJECT);
	return err || m->suits(c.device()) ? err : CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

cl_int check_access(command &c, cl_mem m, size_t offset, size_t size, const void *host, cl_mem_flags refused)
{
	if (cl_int err = check_object(c, m))
		return err;
	if (!host || !m->has(offset, size))
		return CL_INVALID_VALUE;
	return m->flags & refused ? CL_INVALID_OPERATION : CL_SUCCESS;
}

} // namespace

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocks, size_t offset, size_t size, void *to,
			   cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_READ_BUFFER, nwaits, waits, event);
	if (cl_int err = check_access(c, m, offset, size, to, not_read_by_host))
		return err;
	if (!size)
		return c.mark(blocks);
	if (is_in_place(*m, offset, to))
		return c.end(show_to_host(c, *m, offset, size, HET_READ_ONLY, &to), blocks);
	auto a = c.arguments<het_copy_args>();
	a.to_pointer = to;
	a.from = m->for_command();
	a.from_offset = offset;
	a.nbytes = size;
	return c.end(het_copy(c.queue(), &a, c.out()), blocks);
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocks, size_t offset, size_t size, const void *from,
			    cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_WRITE_BUFFER, nwaits, waits, event);
	if (cl_int err = check_access(c, m, offset, size, from, not_written_by_host))
		return err;
	if (!size)
		return c.mark(blocks);
	void *here = nullptr;
	if (is_in_place(*m, offset, from))
		return c.end_writing(*m, show_to_host(c, *m, offset, size, HET_READ_WRITE, &here), blocks);
	auto a = c.arguments<het_copy_args>();
	a.to = m->for_command();
	a.to_offset = offset;
	a.from_pointer = from;
	a.nbytes = size;
	return c.end_writing(*m, het_copy(c.queue(), &a, c.out()), blocks);
}

cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
			   size_t size, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_COPY_BUFFER, nwaits, waits, event);
	cl_int err = check_object(c, from);
	if (!err)
		err = c.check(buffer_or_none(to), CL_INVALID_MEM_OBJECT);
	if (err)
		return err;
	if (!to->suits(c.device()))
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	if (!from->has(from_offset, size) || !to->has(to_offset, size))
		return CL_INVALID_VALUE;
	const size_t begins[] = {from->offset + from_offset, to->offset + to_offset};
	const size_t apart = std::max(begins[0], begins[1]) - std::min(begins[0], begins[1]);
	if (from->base() == to->base() && apart < size)
		return CL_MEM_COPY_OVERLAP;
	if (c.is_recorded())
		return CL_SUCCESS;
	if (!size)
		return c.mark();
	auto a = c.arguments<het_copy_args>();
	a.to = to->for_command();
	a.to_offset = to_offset;
	a.from = from->for_command();
	a.from_offset = from_offset;
	a.nbytes = size;
	return c.end_writing(*to, het_copy(c.queue(), &a, c.out()));
}

cl_int clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size, size_t offset,
			   size_t size, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	constexpr size_t longest = 128;
	command c(q, CL_COMMAND_FILL_BUFFER, nwaits, waits, event);
	if (cl_int err = check_object(c, m))
		return err;
	const bool is_power = pattern_size && !(pattern_size & (pattern_size - 1)) && pattern_size <= longest;
	if (!pattern || !is_power || !m->has(offset, size) || offset % pattern_size || size % pattern_size)
		return CL_INVALID_VALUE;
	if (c.is_recorded())
		return CL_SUCCESS;
	if (!size)
		return c.mark();
	auto a = c.arguments<het_fill_args>();
	a.to = m->for_command();
	a.to_offset = offset;
	a.nbytes = size;
	a.pattern = pattern;
	a.pattern_size = pattern_size;
	return c.end_writing(*m, het_fill(c.queue(), &a, c.out()));
}

// Bytes travel when they are used, so the hint has its place in the order and no more.
cl_int clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint n, const cl_mem *objects, cl_mem_migration_flags flags,
				  cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	constexpr cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
	command c(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, nwaits, waits, event);
	if (cl_int err = c.check())
		return err;
	if (!n || !objects || flags & ~known)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++) {
		if (cl_int err = c.check(objects[i], CL_INVALID_MEM_OBJECT))
			return err;
	}
	return c.mark();
}

} // namespace hetcl
