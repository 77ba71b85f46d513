// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "calls.h"
#include "image_arguments.h"
#include "image_places.h"
#include "kernel.h"
#include "options.h"
#include "report.h"
#include "sampler.h"

#include <algorithm>
#include <memory>
#include <span>

namespace hetcl
{

namespace
{

// The ids and groups of a launch.
struct shape {
	cl_uint dimensions;
	const size_t *offset, *global, *local;

	bool is_empty() const
	{
		return !global || std::find(global, global + dimensions, size_t{0}) != global + dimensions;
	}
	bool has_partial_groups() const
	{
		for (cl_uint d = 0; local && d < dimensions; d++) {
			if (global[d] % local[d])
				return true;
		}
		return false;
	}
};

// Groups must be such as all members can have.
cl_int check_groups(const shape &s, const _cl_device_id &d, const group_limits &limits, const std::string &options)
{
	size_t items = 1;
	for (cl_uint i = 0; s.local && i < s.dimensions; i++) {
		if (!s.local[i])
			return CL_INVALID_WORK_GROUP_SIZE;
		if (s.local[i] > d.most_items[i])
			return CL_INVALID_WORK_ITEM_SIZE;
		items *= s.local[i];
	}
	for (cl_uint i = 0; limits.required[0] && i < s.dimensions; i++) {
		if (s.local ? s.local[i] != limits.required[i] : s.global[i] % limits.required[i])
			return CL_INVALID_WORK_GROUP_SIZE;
	}
	if (s.local && items > limits.most)
		return CL_INVALID_WORK_GROUP_SIZE;
	const bool may_be_partial = d.has_partial_groups && allow_partial_groups(options.c_str());
	return s.has_partial_groups() && !may_be_partial ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

cl_int check_shape(const shape &s, const _cl_device_id &d, const group_limits &limits, const std::string &options)
{
	if (!s.dimensions || s.dimensions > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (s.is_empty())
		return CL_SUCCESS;
	for (cl_uint i = 0; i < s.dimensions; i++) {
		if (s.offset && s.offset[i] + s.global[i] < s.global[i])
			return CL_INVALID_GLOBAL_OFFSET;
	}
	return check_groups(s, d, limits, options);
}

uint32_t access_to(const _cl_mem *m, const het_argument_info &declared)
{
	const bool is_read_only = (m && m->flags & CL_MEM_READ_ONLY) || declared.access == HET_READ_ONLY;
	return is_read_only ? HET_READ_ONLY : HET_READ_WRITE;
}

// A null pointer is bytes to the driver.
constexpr char null_pointer[sizeof(void *)] = {};

cl_int check_argument(const kernel_argument &a, const command &c)
{
	if (a.is == kernel_argument::unset)
		return CL_INVALID_KERNEL_ARGS;
	if (a.is == kernel_argument::sampler)
		return c.check(a.sampled, CL_INVALID_KERNEL_ARGS);
	if (a.is == kernel_argument::picture)
		return check_image(c, a.buffer, CL_INVALID_KERNEL_ARGS);
	if (a.is != kernel_argument::memory || !a.buffer)
		return CL_SUCCESS;
	if (cl_int err = c.check(buffer_or_none(a.buffer), CL_INVALID_KERNEL_ARGS))
		return err;
	return a.buffer->suits(c.device()) ? CL_SUCCESS : CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

het_arg argument(const kernel_argument &a, const parameter &p)
{
	het_arg arg = {};
	switch (a.is) {
	case kernel_argument::value:
		arg.kind = HET_ARG_VALUE;
		arg.nbytes = a.bytes.size();
		arg.pointer = const_cast<char *>(a.bytes.data());
		break;
	case kernel_argument::local:
		arg.kind = HET_ARG_LOCAL;
		arg.nbytes = a.nbytes;
		break;
	case kernel_argument::host_pointer:
		arg.kind = HET_ARG_RANGE;
		arg.nbytes = a.nbytes;
		arg.pointer = a.pointer;
		arg.access = access_to(nullptr, p.info);
		break;
	case kernel_argument::picture:
	case kernel_argument::sampler: // is put there when the device is known
		break;
	default:
		arg.kind = a.buffer ? HET_ARG_MEMORY : HET_ARG_VALUE;
		arg.memory = a.buffer ? a.buffer->for_command() : nullptr;
		arg.access = a.buffer ? access_to(a.buffer, p.info) : 0;
		arg.nbytes = a.buffer ? 0 : sizeof(null_pointer);
		arg.pointer = a.buffer ? nullptr : const_cast<char *>(null_pointer);
	}
	return arg;
}

// The arguments of most kernels need no memory from malloc(), which costs as much as all of them.
class argument_list
{
      public:
	explicit argument_list(size_t n) : n_(n), more_(n > few ? new het_arg[n] : nullptr) {}
	std::span<het_arg> all() { return {more_ ? more_.get() : some_, n_}; }

      private:
	static constexpr size_t few = 8;

	const size_t n_;
	het_arg some_[few];
	const std::unique_ptr<het_arg[]> more_;
};

cl_int take_arguments(const command &c, const _cl_kernel &k, std::span<het_arg> args)
{
	cl_ulong left = c.device()->local_memory;
	bool fits = true;
	for (size_t i = 0; i < args.size(); i++) {
		const kernel_argument &a = k.arguments[i];
		if (cl_int err = check_argument(a, c))
			return err;
		const cl_ulong local = a.is == kernel_argument::local ? a.nbytes : 0;
		fits = fits && local <= left;
		left -= local;
		args[i] = argument(a, k.parameters[i]);
	}
	return fits ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

// The launch that was enqueued writes these.
void note_buffers(const _cl_kernel &k, std::span<const het_arg> args)
{
	for (size_t i = 0; i < args.size(); i++) {
		if (args[i].kind == HET_ARG_MEMORY && args[i].access != HET_READ_ONLY)
			k.arguments[i].buffer->note_written();
	}
}

cl_int enqueue(command &c, cl_kernel k, const shape &s)
{
	if (cl_int err = c.check())
		return err;
	if (!is_valid(k))
		return CL_INVALID_KERNEL;
	if (!c.is_in(k->program->context))
		return CL_INVALID_CONTEXT;
	het_kernel *on = k->on(c.device());
	if (!on)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	cl_int err = check_shape(s, *c.device(), k->limits_on(c.device()), k->program->on(c.device())->options);
	argument_list list(k->arguments.size());
	const std::span<het_arg> args = list.all();
	if (!err)
		err = take_arguments(c, *k, args);
	if (err || c.is_recorded())
		return err;
	if (s.is_empty())
		return c.mark();
	het_device *member = c.device()->members.size() == 1 ? c.device()->members[0] : nullptr;
	std::unique_lock<std::mutex> order;
	if (has_images(*k)) {
		member = member_with_images(*c.device(), *k);
		if (cl_int e = make_textures(*k, member))
			return e;
		order = order_images();
		if (cl_int e = put_images(c, *k, member, args))
			return e;
	}
	auto a = c.arguments<het_launch_args>();
	a.kernel = on;
	a.dimensions = s.dimensions;
	std::copy_n(s.global, s.dimensions, a.global);
	if (s.offset)
		std::copy_n(s.offset, s.dimensions, a.offset);
	if (s.local)
		std::copy_n(s.local, s.dimensions, a.local);
	a.arg_size = sizeof(het_arg);
	a.nargs = args.size();
	a.args = args.data();
	a.device = member;
	int failure = het_launch(c.queue(), &a, c.out());
	if (!failure) {
		note_buffers(*k, args);
		report_launch(c.made());
	}
	if (!failure && order)
		failure = note_images(c, *k, member);
	return failure == HET_EARG ? cl_int{CL_INVALID_KERNEL_ARGS} : c.end(failure);
}

} // namespace

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset,
			      const size_t *global, const size_t *local, cl_uint nwaits, const cl_event *waits,
			      cl_event *event)
{
	command c(q, CL_COMMAND_NDRANGE_KERNEL, nwaits, waits, event);
	return enqueue(c, k, {dimensions, offset, global, local});
}

cl_int clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	constexpr size_t one = 1;
	command c(q, CL_COMMAND_TASK, nwaits, waits, event);
	return enqueue(c, k, {1, nullptr, &one, &one});
}

} // namespace hetcl
