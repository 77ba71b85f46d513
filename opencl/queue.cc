// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "queue.h"

#include "callback.h"
#include "calls.h"
#include "codes.h"
#include "info.h"

namespace hetcl
{

namespace
{

using queue = _cl_command_queue;

constexpr cl_command_queue_properties of_host = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
constexpr cl_command_queue_properties of_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

// Commands may outlive the queue and its context, so whom to tell of their failures is kept for good.
struct listener {
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
	void *arg;
};

const listener *listener_of(const _cl_context &c)
{
	static std::mutex lock;
	static auto *all = new std::vector<std::unique_ptr<listener>>;
	std::lock_guard g(lock);
	for (const auto &l : *all) {
		if (l->notify == c.notify && l->arg == c.notify_arg)
			return l.get();
	}
	all->push_back(std::make_unique<listener>(listener{c.notify, c.notify_arg}));
	return all->back().get();
}

void pass_on(int, het_event *, const char *message, void *arg)
{
	const in_callback here;
	const auto *l = static_cast<const listener *>(arg);
	l->notify(message, nullptr, 0, l->arg);
}

// Native kernels run on the host, in order with the others.
int open(queue &q)
{
	std::vector<het_device *> members = q.device->members;
	if (host_device())
		members.push_back(host_device());
	het_queue_args args = {};
	args.size = sizeof(args);
	args.flags = q.flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? 0 : HET_QUEUE_IN_ORDER;
	args.ndevices = uint32_t(members.size());
	args.devices = members.data();
	if (q.context->notify) {
		args.on_error = pass_on;
		args.on_error_arg = const_cast<listener *>(listener_of(*q.context));
	}
	het_queue *made = nullptr;
	const int err = het_queue_create(&args, &made);
	q.queue.reset(made);
	return err;
}

cl_command_queue make(cl_context c, cl_device_id d, cl_command_queue_properties flags,
		      std::vector<cl_queue_properties> properties, cl_int *error)
{
	auto *q = new queue;
	q->context = held(c);
	q->device = d;
	q->flags = flags;
	q->properties = std::move(properties);
	if (int err = open(*q)) {
		let_go(q);
		return refuse(code_of(err), error);
	}
	return give(q, CL_SUCCESS, error);
}

cl_int check_place(cl_context c, cl_device_id d)
{
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	return is_valid(d) && c->has(d) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int take_properties(const cl_queue_properties *given, cl_command_queue_properties &flags,
		       std::vector<cl_queue_properties> &taken)
{
	flags = 0;
	bool has_size = false;
	for (const cl_queue_properties *p = given; p && *p; p += 2) {
		if (*p == CL_QUEUE_PROPERTIES)
			flags = p[1];
		else if (*p == CL_QUEUE_SIZE)
			has_size = true;
		else
			return CL_INVALID_VALUE;
		taken.push_back(p[0]);
		taken.push_back(p[1]);
	}
	if (given)
		taken.push_back(0);
	if (flags & ~(of_host | of_device) || (flags & CL_QUEUE_ON_DEVICE_DEFAULT && !(flags & CL_QUEUE_ON_DEVICE)))
		return CL_INVALID_VALUE;
	if (has_size && !(flags & CL_QUEUE_ON_DEVICE))
		return CL_INVALID_VALUE;
	return flags & of_device ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

const info_row<queue> rows[] = {
	{CL_QUEUE_CONTEXT, [](const queue &q, answer &a) { return a.value(q.context.get()); }},
	{CL_QUEUE_DEVICE, [](const queue &q, answer &a) { return a.value(q.device); }},
	{CL_QUEUE_REFERENCE_COUNT, [](const queue &q, answer &a) { return a.value(q.references.load()); }},
	{CL_QUEUE_PROPERTIES, [](const queue &q, answer &a) { return a.value(q.flags); }},
	{CL_QUEUE_PROPERTIES_ARRAY, [](const queue &q, answer &a) { return a.list(q.properties); }},
	{CL_QUEUE_SIZE, [](const queue &, answer &) { return cl_int{CL_INVALID_COMMAND_QUEUE}; }},
	{CL_QUEUE_DEVICE_DEFAULT, [](const queue &, answer &a) { return a.value(cl_command_queue{}); }},
};

} // namespace

het_queue *own_queue()
{
	static het_queue *const q = [] {
		het_queue *made = nullptr;
		het_queue_create(nullptr, &made);
		return made;
	}();
	return q;
}

cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties flags, cl_int *error)
{
	if (cl_int err = check_place(c, d))
		return refuse(err, error);
	if (flags & ~of_host)
		return refuse(flags & of_device ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE, error);
	return make(c, d, flags, {}, error);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context c, cl_device_id d, const cl_queue_properties *given,
						    cl_int *error)
{
	cl_command_queue_properties flags = 0;
	std::vector<cl_queue_properties> taken;
	cl_int err = check_place(c, d);
	if (!err)
		err = take_properties(given, flags, taken);
	return err ? refuse(err, error) : make(c, d, flags, std::move(taken), error);
}

cl_int clRetainCommandQueue(cl_command_queue q)
{
	return retain(q, CL_INVALID_COMMAND_QUEUE);
}

cl_int clReleaseCommandQueue(cl_command_queue q)
{
	return release(q, CL_INVALID_COMMAND_QUEUE);
}

cl_int clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info what, size_t room, void *value, size_t *size)
{
	if (!is_valid(q))
		return CL_INVALID_COMMAND_QUEUE;
	return look_up(rows, what, *q, {room, value, size});
}

// A queue stays as it was made.
cl_int clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties, cl_bool,
				 cl_command_queue_properties *)
{
	return is_valid(q) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int clSetDefaultDeviceCommandQueue(cl_context c, cl_device_id d, cl_command_queue)
{
	const cl_int err = check_place(c, d);
	return err ? err : CL_INVALID_OPERATION;
}

// Nothing is ever kept back.
cl_int clFlush(cl_command_queue q)
{
	return is_valid(q) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int clFinish(cl_command_queue q)
{
	return is_valid(q) ? code_of(het_finish(q->queue.get())) : CL_INVALID_COMMAND_QUEUE;
}

} // namespace hetcl
