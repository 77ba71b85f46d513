// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads, writes and copies of rectangles.
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

// One side of a copy. Pitches of 0 stand for rows and planes without anything between them.
struct side {
	const size_t *origin;
	const size_t *region;
	size_t row, slice;
	// take_place() works these out: the first byte, and the number of those from there to behind the last one.
	size_t begin = 0, length = 0;

	// Fails, too, where numbers become larger than memory can be.
	cl_int take_place()
	{
		if (!origin || !region || !region[0] || !region[1] || !region[2])
			return CL_INVALID_VALUE;
		if (row && row < region[0])
			return CL_INVALID_VALUE;
		row = row ? row : region[0];
		size_t least_slice = 0;
		if (__builtin_mul_overflow(region[1], row, &least_slice))
			return CL_INVALID_VALUE;
		if (slice && (slice < least_slice || slice % row))
			return CL_INVALID_VALUE;
		slice = slice ? slice : least_slice;
		const bool has_place = distance(origin[0], origin[1], origin[2], &begin) &&
				       distance(region[0], region[1] - 1, region[2] - 1, &length);
		return has_place ? CL_SUCCESS : CL_INVALID_VALUE;
	}
	bool distance(size_t bytes, size_t rows, size_t planes, size_t *sum) const
	{
		size_t of_rows = 0, of_planes = 0;
		return !__builtin_mul_overflow(rows, row, &of_rows) &&
		       !__builtin_mul_overflow(planes, slice, &of_planes) &&
		       !__builtin_add_overflow(of_rows, of_planes, sum) && !__builtin_add_overflow(*sum, bytes, sum);
	}

	// @memory or @pointer is null.
	het_rect rect(het_memory *memory, void *pointer) const
	{
		het_rect r = {};
		r.memory = memory;
		r.pointer = pointer;
		std::copy_n(origin, 3, r.origin);
		r.row_pitch = row;
		r.slice_pitch = slice;
		return r;
	}
};

cl_int check_sides(command &c, cl_mem m, side &buffer, side &host, const void *pointer, cl_mem_flags refused)
{
	cl_int err = c.check();
	if (!err)
		err = c.check(buffer_or_none(m), CL_INVALID_MEM_OBJECT);
	if (err)
		return err;
	if (!pointer || buffer.take_place() || host.take_place() || !m->has(buffer.begin, buffer.length))
		return CL_INVALID_VALUE;
	if (m->flags & refused)
		return CL_INVALID_OPERATION;
	return m->suits(c.device()) ? CL_SUCCESS : CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

int copy(command &c, const het_rect &to, const het_rect &from, const size_t *region)
{
	auto a = c.arguments<het_copy_rect_args>();
	a.to = to;
	a.from = from;
	std::copy_n(region, 3, a.region);
	return het_copy_rect(c.queue(), &a, c.out());
}

// Returns whether the host's rectangle is that of the buffer.
bool is_in_place(const _cl_mem &m, const side &buffer, const side &host, const void *pointer)
{
	return buffer.row == host.row && buffer.slice == host.slice &&
	       is_in_place(m, buffer.begin, static_cast<const char *>(pointer) + host.begin);
}

int show(command &c, const _cl_mem &m, const side &s, uint32_t access)
{
	void *here = nullptr;
	return show_to_host(c, m, s.begin, s.length, access, &here);
}

} // namespace

cl_int clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocks, const size_t *origin,
			       const size_t *host_origin, const size_t *region, size_t row, size_t slice,
			       size_t host_row, size_t host_slice, void *to, cl_uint nwaits, const cl_event *waits,
			       cl_event *event)
{
	command c(q, CL_COMMAND_READ_BUFFER_RECT, nwaits, waits, event);
	side buffer = {origin, region, row, slice}, host = {host_origin, region, host_row, host_slice};
	if (cl_int err = check_sides(c, m, buffer, host, to, not_read_by_host))
		return err;
	if (is_in_place(*m, buffer, host, to))
		return c.end(show(c, *m, buffer, HET_READ_ONLY), blocks);
	return c.end(copy(c, host.rect(nullptr, to), buffer.rect(m->for_command(), nullptr), region), blocks);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool blocks, const size_t *origin,
				const size_t *host_origin, const size_t *region, size_t row, size_t slice,
				size_t host_row, size_t host_slice, const void *from, cl_uint nwaits,
				const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_WRITE_BUFFER_RECT, nwaits, waits, event);
	side buffer = {origin, region, row, slice}, host = {host_origin, region, host_row, host_slice};
	if (cl_int err = check_sides(c, m, buffer, host, from, not_written_by_host))
		return err;
	if (is_in_place(*m, buffer, host, from))
		return c.end_writing(*m, show(c, *m, buffer, HET_READ_WRITE), blocks);
	const het_rect source = host.rect(nullptr, const_cast<void *>(from));
	return c.end_writing(*m, copy(c, buffer.rect(m->for_command(), nullptr), source, region), blocks);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
			       const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
			       size_t to_row, size_t to_slice, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_COPY_BUFFER_RECT, nwaits, waits, event);
	side source = {from_origin, region, from_row, from_slice}, target = {to_origin, region, to_row, to_slice};
	cl_int err = c.check();
	if (!err)
		err = c.check(buffer_or_none(from), CL_INVALID_MEM_OBJECT);
	if (!err)
		err = c.check(buffer_or_none(to), CL_INVALID_MEM_OBJECT);
	if (err)
		return err;
	if (source.take_place() || target.take_place() || !from->has(source.begin, source.length) ||
	    !to->has(target.begin, target.length))
		return CL_INVALID_VALUE;
	if (from == to && (source.row != target.row || source.slice != target.slice))
		return CL_INVALID_VALUE;
	if (!from->suits(c.device()) || !to->suits(c.device()))
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	if (c.is_recorded())
		return CL_SUCCESS;
	err = c.end_writing(*to, copy(c, target.rect(to->for_command(), nullptr),
				      source.rect(from->for_command(), nullptr), region));
	// All else was looked at above.
	return err == CL_INVALID_VALUE ? CL_MEM_COPY_OVERLAP : err;
}

} // namespace hetcl
