// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads, writes, copies and fills of boxes of texels. They are made where the memory objects are.
#include "calls.h"
#include "image_places.h"
#include "in_place.h"
#include "texel.h"

#include <algorithm>

namespace hetcl
{

namespace
{

constexpr cl_mem_flags not_read_by_host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags not_written_by_host = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

// A box of an image.
struct box {
	cl_mem of;
	const size_t *origin, *region;

	const image &all() const { return *of->image; }
	het_rect rect() const
	{
		het_rect r = {};
		r.memory = of->for_command();
		r.origin[0] = all().offset_of(origin);
		r.row_pitch = all().row;
		r.slice_pitch = all().slice;
		return r;
	}
	size_t row_bytes() const { return region[0] * all().texel; }
	size_t nbytes() const { return row_bytes() * region[1] * region[2]; }
};

cl_int check_box(const command &c, const box &b)
{
	const cl_int err = check_image(c, b.of, CL_INVALID_MEM_OBJECT);
	return err || b.all().has(b.origin, b.region) ? err : cl_int{CL_INVALID_VALUE};
}

// The box was checked. Pitches of 0 stand for rows and planes without anything between them.
bool take_host(const box &b, size_t row, size_t slice, const void *pointer, het_rect &host)
{
	const image &i = b.all();
	if (row && row < b.row_bytes())
		return false;
	row = row ? row : b.row_bytes();
	const size_t least = i.has_planes() ? row * b.region[1] : row;
	const bool has_slices = i.has_planes() || i.is_line_array();
	if (!pointer || (slice && (!has_slices || slice < least)))
		return false;
	slice = slice ? slice : least;
	host.pointer = const_cast<void *>(pointer);
	host.row_pitch = i.is_line_array() ? slice : row;
	host.slice_pitch = i.has_planes() ? slice : host.row_pitch * b.region[1];
	return true;
}

// Looks at a command of which one side is the host's, which is told in @host.
cl_int check_host(command &c, const box &b, size_t row, size_t slice, const void *pointer, cl_mem_flags refused,
		  het_rect &host)
{
	cl_int err = c.check();
	if (!err)
		err = check_box(c, b);
	if (err)
		return err;
	if (!take_host(b, row, slice, pointer, host))
		return CL_INVALID_VALUE;
	return b.of->flags & refused ? CL_INVALID_OPERATION : CL_SUCCESS;
}

// To read texels to where they are, or write them from there, is nothing but to show them.
bool is_in_place(const box &b, const het_rect &host)
{
	const image &i = b.all();
	return hetcl::is_in_place(*b.of, i.offset_of(b.origin), host.pointer) &&
	       (b.region[1] == 1 || host.row_pitch == i.row) && (b.region[2] == 1 || host.slice_pitch == i.slice);
}

int show(command &c, const box &b, uint32_t access)
{
	void *here = nullptr;
	return show_to_host(c, *b.of, b.all().offset_of(b.origin), b.all().length_of(b.region), access, &here);
}

int copy(command &c, const het_rect &to, const het_rect &from, const box &b)
{
	auto a = c.arguments<het_copy_rect_args>();
	a.to = to;
	a.from = from;
	a.region[0] = b.row_bytes();
	a.region[1] = b.region[1];
	a.region[2] = b.region[2];
	return het_copy_rect(c.queue(), &a, c.out());
}

// Has a box written by the command that @enqueue enqueues. What waits may fail without having written all of the
// texels, and those that a kernel has written must be at home then. Returns a code of the runtime's.
template <class F> int write_box(command &c, const box &b, F enqueue)
{
	const auto order = order_images();
	int err = b.all().is_all(b.region) && !c.nwaits() ? 0 : bring_home(c, *b.of);
	if (!err)
		err = enqueue();
	if (!err)
		note_written_at_home(*b.of);
	return err;
}

// Has a box read, while the images are in order.
template <class F> int read_box(command &c, const box &b, F enqueue)
{
	const int err = bring_home(c, *b.of);
	return err ? err : enqueue();
}

// The texels lie without gaps.
het_rect rect_of_bytes(het_memory *m, size_t offset)
{
	het_rect r = {};
	r.memory = m;
	r.origin[0] = offset;
	return r;
}

cl_int check_buffer_and_box(command &c, cl_mem buffer, size_t offset, const box &b)
{
	cl_int err = c.check();
	if (!err)
		err = c.check(buffer_or_none(buffer), CL_INVALID_MEM_OBJECT);
	if (!err)
		err = check_box(c, b);
	if (err)
		return err;
	if (!buffer->has(offset, b.nbytes()))
		return CL_INVALID_VALUE;
	return buffer->suits(c.device()) ? CL_SUCCESS : CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

bool is_same(const cl_image_format &a, const cl_image_format &b)
{
	return a.image_channel_order == b.image_channel_order && a.image_channel_data_type == b.image_channel_data_type;
}

bool do_overlap(const box &a, const box &b)
{
	bool overlap = a.of->base() == b.of->base();
	for (unsigned d = 0; d < 3; d++)
		overlap &= a.origin[d] < b.origin[d] + b.region[d] && b.origin[d] < a.origin[d] + a.region[d];
	return overlap;
}

// Fills what is all of the memory object, or has a block filled first that is copied into the box.
int fill(command &c, const box &b, const std::vector<char> &texel)
{
	auto a = c.arguments<het_fill_args>();
	a.pattern = texel.data();
	a.pattern_size = texel.size();
	a.nbytes = b.nbytes();
	if (a.nbytes == b.of->size) {
		a.to = b.of->for_command();
		return het_fill(c.queue(), &a, c.out());
	}
	het_memory *block = nullptr;
	if (int err = het_memory_create(a.nbytes, &block))
		return err;
	const owner<het_memory, het_memory_release> last(block); // commands keep it
	a.to = block;
	a.nwaits = 0;
	const int err = het_fill(c.queue(), &a, nullptr);
	return err ? err : copy(c, b.rect(), rect_of_bytes(block, 0), b);
}

} // namespace

cl_int clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocks, const size_t *origin, const size_t *region,
			  size_t row, size_t slice, void *to, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_READ_IMAGE, nwaits, waits, event);
	const box b = {m, origin, region};
	het_rect host = {};
	if (cl_int err = check_host(c, b, row, slice, to, not_read_by_host, host))
		return err;
	auto order = order_images();
	const int failure = read_box(
		c, b, [&] { return is_in_place(b, host) ? show(c, b, HET_READ_ONLY) : copy(c, host, b.rect(), b); });
	order.unlock();
	return c.end(failure, blocks);
}

cl_int clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocks, const size_t *origin, const size_t *region,
			   size_t row, size_t slice, const void *from, cl_uint nwaits, const cl_event *waits,
			   cl_event *event)
{
	command c(q, CL_COMMAND_WRITE_IMAGE, nwaits, waits, event);
	const box b = {m, origin, region};
	het_rect host = {};
	if (cl_int err = check_host(c, b, row, slice, from, not_written_by_host, host))
		return err;
	const int failure = write_box(
		c, b, [&] { return is_in_place(b, host) ? show(c, b, HET_READ_WRITE) : copy(c, b.rect(), host, b); });
	return c.end(failure, blocks);
}

cl_int clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
			  const size_t *to_origin, const size_t *region, cl_uint nwaits, const cl_event *waits,
			  cl_event *event)
{
	command c(q, CL_COMMAND_COPY_IMAGE, nwaits, waits, event);
	const box source = {from, from_origin, region}, target = {to, to_origin, region};
	cl_int err = c.check();
	if (!err)
		err = check_box(c, source);
	if (!err)
		err = check_box(c, target);
	if (err)
		return err;
	if (!is_same(source.all().format, target.all().format))
		return CL_IMAGE_FORMAT_MISMATCH;
	if (do_overlap(source, target))
		return CL_MEM_COPY_OVERLAP;
	if (c.is_recorded())
		return CL_SUCCESS;
	return c.end(write_box(c, target, [&] {
		return read_box(c, source, [&] { return copy(c, target.rect(), source.rect(), source); });
	}));
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem from, cl_mem to, const size_t *origin,
				  const size_t *region, size_t offset, cl_uint nwaits, const cl_event *waits,
				  cl_event *event)
{
	command c(q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, nwaits, waits, event);
	const box b = {from, origin, region};
	if (cl_int err = check_buffer_and_box(c, to, offset, b); err || c.is_recorded())
		return err;
	const auto order = order_images();
	return c.end_writing(
		*to, read_box(c, b, [&] { return copy(c, rect_of_bytes(to->for_command(), offset), b.rect(), b); }));
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem from, cl_mem to, size_t offset, const size_t *origin,
				  const size_t *region, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, nwaits, waits, event);
	const box b = {to, origin, region};
	if (cl_int err = check_buffer_and_box(c, from, offset, b); err || c.is_recorded())
		return err;
	return c.end(write_box(c, b, [&] { return copy(c, b.rect(), rect_of_bytes(from->for_command(), offset), b); }));
}

cl_int clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *color, const size_t *origin, const size_t *region,
			  cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_FILL_IMAGE, nwaits, waits, event);
	const box b = {m, origin, region};
	cl_int err = c.check();
	if (!err)
		err = check_box(c, b);
	if (err)
		return err;
	if (!color)
		return CL_INVALID_VALUE;
	if (c.is_recorded())
		return CL_SUCCESS;
	const std::vector<char> texel = texel_of(b.all().format, color);
	return c.end(write_box(c, b, [&] { return fill(c, b, texel); }));
}

} // namespace hetcl
