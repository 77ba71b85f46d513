// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All clEnqueue...() calls have a wait list and may return an event: what they have in common is here.
#pragma once

#include "event.h"

namespace hetcl
{

class command
{
      public:
	command(cl_command_queue q, cl_command_type type, cl_uint nwaits, const cl_event *waits, cl_event *event)
	    : queue_(q), type_(type), nwaits_(nwaits), given_(waits), event_(event)
	{
	}
	command(const command &) = delete;
	command &operator=(const command &) = delete;

	// Looks at the queue and the wait list. Returns a code of OpenCL's.
	cl_int check();
	// Looks at an object that the command uses.
	template <class T> cl_int check(T *o, cl_int if_invalid) const
	{
		if (!is_valid(o))
			return if_invalid;
		return o->context.get() == queue_->context.get() ? CL_SUCCESS : CL_INVALID_CONTEXT;
	}

	// A queue without one of the runtime's is that of a command buffer, whose commands are looked at when they are
	// recorded, and enqueued later: the command ends here.
	bool is_recorded() const { return !queue_->queue; }
	bool is_in(const held<_cl_context> &c) const { return c.get() == queue_->context.get(); }

	// Makes the arguments of a call of the runtime's, with size and wait list.
	template <class A> A arguments() const
	{
		A a = {};
		a.size = sizeof(a);
		a.nwaits = waits_.size();
		a.waits = waits_.data();
		return a;
	}
	het_queue *queue() const { return queue_->queue.get(); }
	cl_device_id device() const { return queue_->device; }
	size_t nwaits() const { return waits_.size(); }
	het_event *const *waits() const { return waits_.data(); }
	// The command is to wait for this one too, which it takes a reference of.
	void wait_for(het_event *e);
	// The runtime puts its event there.
	het_event **out() { return &made_; }

	// The runtime has answered @err. Waits if the call blocks, and gives the program its event. Returns a code of
	// OpenCL's.
	cl_int end(int err, bool blocks = false);
	// As end(), for a command that writes bytes of the object.
	cl_int end_writing(_cl_mem &m, int err, bool blocks = false);
	// Does all of it for a command that is nothing but its place in the order.
	cl_int mark(bool blocks = false) { return end(enqueue_mark(), blocks); }
	int enqueue_mark();
	// Returns the runtime's event of what was enqueued.
	het_event *made() const { return made_; }

	~command()
	{
		for (het_event *e : more_)
			het_event_release(e);
		if (made_)
			het_event_release(made_);
	}

      private:
	const cl_command_queue queue_;
	const cl_command_type type_;
	const cl_uint nwaits_;
	const cl_event *const given_;
	cl_event *const event_;
	std::vector<het_event *> waits_, more_;
	het_event *made_ = nullptr;
};

} // namespace hetcl
