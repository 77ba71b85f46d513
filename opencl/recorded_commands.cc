// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These calls record commands: each keeps a copy of what the caller's pointers point to.
#include "calls.h"
#include "command.h"
#include "command_buffer.h"

#include <algorithm>
#include <memory>

namespace hetcl
{

namespace
{

// Up to three numbers of the program's, or a null pointer. Of more, which no call takes, none is looked at: the program
// may have fewer.
class numbers
{
      public:
	explicit numbers(const size_t *given, size_t n = 3) : there_(given != nullptr)
	{
		if (given && n <= std::size(all_))
			std::copy_n(given, n, all_);
	}
	const size_t *get() const { return there_ ? all_ : nullptr; }

      private:
	bool there_;
	size_t all_[3] = {};
};

// Has the bytes of a pattern, or none.
std::vector<char> bytes_at(const void *p, size_t n)
{
	constexpr size_t longest = 128; // as for clEnqueueFillBuffer()
	const auto *bytes = static_cast<const char *>(p);
	return bytes && n <= longest ? std::vector<char>(bytes, bytes + n) : std::vector<char>();
}
const void *start_of(const std::vector<char> &bytes)
{
	return bytes.empty() ? nullptr : bytes.data();
}

// What all calls have at their end.
struct place {
	cl_command_buffer_khr buffer;
	cl_command_queue queue;
	cl_uint n;
	const cl_sync_point_khr *after;
	cl_sync_point_khr *point;
	cl_mutable_command_khr *handle;
};

cl_int record(const place &p, recorded_call enqueue, recorded_as what = recorded_as::command)
{
	if (!is_valid(p.buffer))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if (!p.n != !p.after)
		return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
	return record(p.buffer, p.queue, {p.after, p.n}, p.point, p.handle, std::move(enqueue), what);
}

// Waits for all that was recorded before it, as others are to wait for it.
cl_int pass(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	command c(q, CL_COMMAND_BARRIER, nwaits, waits, event);
	const cl_int err = c.check();
	return err || c.is_recorded() ? err : c.end(het_marker(c.queue(), c.nwaits(), c.waits(), c.out()));
}

} // namespace

cl_int CL_API_CALL clCommandBarrierWithWaitListKHR(cl_command_buffer_khr b, cl_command_queue q, cl_uint n,
						   const cl_sync_point_khr *after, cl_sync_point_khr *point,
						   cl_mutable_command_khr *handle)
{
	return record({b, q, n, after, point, handle}, pass, recorded_as::barrier);
}

cl_int CL_API_CALL clCommandCopyBufferKHR(cl_command_buffer_khr b, cl_command_queue q, cl_mem from, cl_mem to,
					  size_t from_offset, size_t to_offset, size_t size, cl_uint n,
					  const cl_sync_point_khr *after, cl_sync_point_khr *point,
					  cl_mutable_command_khr *handle)
{
	return record({b, q, n, after, point, handle}, [=](cl_command_queue on, cl_uint nwaits, const cl_event *waits,
							   cl_event *event) {
		return hetcl::clEnqueueCopyBuffer(on, from, to, from_offset, to_offset, size, nwaits, waits, event);
	});
}

cl_int CL_API_CALL clCommandCopyBufferRectKHR(cl_command_buffer_khr b, cl_command_queue q, cl_mem from, cl_mem to,
					      const size_t *from_origin, const size_t *to_origin, const size_t *region,
					      size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
					      cl_uint n, const cl_sync_point_khr *after, cl_sync_point_khr *point,
					      cl_mutable_command_khr *handle)
{
	const numbers source(from_origin), target(to_origin), box(region);
	return record({b, q, n, after, point, handle}, [=](cl_command_queue on, cl_uint nwaits, const cl_event *waits,
							   cl_event *event) {
		return hetcl::clEnqueueCopyBufferRect(on, from, to, source.get(), target.get(), box.get(), from_row,
						      from_slice, to_row, to_slice, nwaits, waits, event);
	});
}

cl_int CL_API_CALL clCommandCopyBufferToImageKHR(cl_command_buffer_khr b, cl_command_queue q, cl_mem from, cl_mem to,
						 size_t offset, const size_t *origin, const size_t *region, cl_uint n,
						 const cl_sync_point_khr *after, cl_sync_point_khr *point,
						 cl_mutable_command_khr *handle)
{
	const numbers target(origin), box(region);
	return record({b, q, n, after, point, handle},
		      [=](cl_command_queue on, cl_uint nwaits, const cl_event *waits, cl_event *event) {
			      return hetcl::clEnqueueCopyBufferToImage(on, from, to, offset, target.get(), box.get(),
								       nwaits, waits, event);
		      });
}

cl_int CL_API_CALL clCommandCopyImageKHR(cl_command_buffer_khr b, cl_command_queue q, cl_mem from, cl_mem to,
					 const size_t *from_origin, const size_t *to_origin, const size_t *region,
					 cl_uint n, const cl_sync_point_khr *after, cl_sync_point_khr *point,
					 cl_mutable_command_khr *handle)
{
	const numbers source(from_origin), target(to_origin), box(region);
	return record({b, q, n, after, point, handle},
		      [=](cl_command_queue on, cl_uint nwaits, const cl_event *waits, cl_event *event) {
			      return hetcl::clEnqueueCopyImage(on, from, to, source.get(), target.get(), box.get(),
							       nwaits, waits, event);
		      });
}

cl_int CL_API_CALL clCommandCopyImageToBufferKHR(cl_command_buffer_khr b, cl_command_queue q, cl_mem from, cl_mem to,
						 const size_t *origin, const size_t *region, size_t offset, cl_uint n,
						 const cl_sync_point_khr *after, cl_sync_point_khr *point,
						 cl_mutable_command_khr *handle)
{
	const numbers source(origin), box(region);
	return record({b, q, n, after, point, handle},
		      [=](cl_command_queue on, cl_uint nwaits, const cl_event *waits, cl_event *event) {
			      return hetcl::clEnqueueCopyImageToBuffer(on, from, to, source.get(), box.get(), offset,
								       nwaits, waits, event);
		      });
}

cl_int CL_API_CALL clCommandFillBufferKHR(cl_command_buffer_khr b, cl_command_queue q, cl_mem m, const void *pattern,
					  size_t pattern_size, size_t offset, size_t size, cl_uint n,
					  const cl_sync_point_khr *after, cl_sync_point_khr *point,
					  cl_mutable_command_khr *handle)
{
	return record({b, q, n, after, point, handle},
		      [=, kept = bytes_at(pattern, pattern_size)](cl_command_queue on, cl_uint nwaits,
								  const cl_event *waits, cl_event *event) {
			      return hetcl::clEnqueueFillBuffer(on, m, start_of(kept), pattern_size, offset, size,
								nwaits, waits, event);
		      });
}

cl_int CL_API_CALL clCommandFillImageKHR(cl_command_buffer_khr b, cl_command_queue q, cl_mem m, const void *color,
					 const size_t *origin, const size_t *region, cl_uint n,
					 const cl_sync_point_khr *after, cl_sync_point_khr *point,
					 cl_mutable_command_khr *handle)
{
	constexpr size_t color_size = 16; // four numbers of 32 bits, of whatever type
	const numbers target(origin), box(region);
	return record({b, q, n, after, point, handle}, [=, kept = bytes_at(color, color_size)](
							       cl_command_queue on, cl_uint nwaits,
							       const cl_event *waits, cl_event *event) {
		return hetcl::clEnqueueFillImage(on, m, start_of(kept), target.get(), box.get(), nwaits, waits, event);
	});
}

// The kernel's arguments are those of now, so the command has a kernel of its own.
cl_int CL_API_CALL clCommandNDRangeKernelKHR(cl_command_buffer_khr b, cl_command_queue q,
					     const cl_ndrange_kernel_command_properties_khr *properties, cl_kernel k,
					     cl_uint dimensions, const size_t *offset, const size_t *global,
					     const size_t *local, cl_uint n, const cl_sync_point_khr *after,
					     cl_sync_point_khr *point, cl_mutable_command_khr *handle)
{
	if (!is_valid(b))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if (properties && *properties)
		return CL_INVALID_VALUE;
	cl_int err = CL_SUCCESS;
	const std::shared_ptr<_cl_kernel> own(hetcl::clCloneKernel(k, &err),
					      [](cl_kernel made) { made ? hetcl::clReleaseKernel(made) : cl_int{}; });
	if (err)
		return err;
	const numbers first(offset, dimensions), items(global, dimensions), group(local, dimensions);
	return record({b, q, n, after, point, handle},
		      [=](cl_command_queue on, cl_uint nwaits, const cl_event *waits, cl_event *event) {
			      return hetcl::clEnqueueNDRangeKernel(on, own.get(), dimensions, first.get(), items.get(),
								   group.get(), nwaits, waits, event);
		      });
}

} // namespace hetcl
