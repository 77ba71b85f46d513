// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "command.h"

#include "codes.h"
#include "memory.h"

namespace hetcl
{

cl_int command::check()
{
	if (!is_valid(queue_))
		return CL_INVALID_COMMAND_QUEUE;
	if (!nwaits_ != !given_)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < nwaits_; i++) {
		if (!is_valid(given_[i]))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (given_[i]->context.get() != queue_->context.get())
			return CL_INVALID_CONTEXT;
		waits_.push_back(given_[i]->event.get());
	}
	return CL_SUCCESS;
}

void command::wait_for(het_event *e)
{
	het_event_retain(e);
	more_.push_back(e);
	waits_.push_back(e);
}

cl_int command::end(int err, bool blocks)
{
	if (err)
		return code_of(err);
	if (blocks && het_event_wait(1, &made_)) {
		int status = 0;
		het_event_status(made_, &status);
		return code_of(status);
	}
	if (!event_)
		return CL_SUCCESS;
	auto *e = new _cl_event;
	e->context = queue_->context;
	e->queue = held(queue_);
	e->type = type_;
	e->event.reset(std::exchange(made_, nullptr));
	*event_ = e;
	return CL_SUCCESS;
}

cl_int command::end_writing(_cl_mem &m, int err, bool blocks)
{
	if (!err)
		m.note_written();
	return end(err, blocks);
}

// A marker without a wait list waits for all of its queue; one that stands for a command waits for what is told, and in
// an in-order queue for the command before it.
int command::enqueue_mark()
{
	if (nwaits() || !(queue_->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
		return het_marker(queue(), nwaits(), waits(), out());
	het_event *nothing = nullptr;
	int err = het_user_event_create(&nothing);
	if (!err)
		err = het_user_event_set(nothing, HET_COMPLETE);
	if (!err)
		err = het_marker(queue(), 1, &nothing, out());
	if (nothing)
		het_event_release(nothing);
	return err;
}

} // namespace hetcl
