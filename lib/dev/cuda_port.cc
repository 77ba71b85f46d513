// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_port.h"

namespace het
{

int cuda_port::make(bool relays)
{
	int err = cu_->create_stream(&outer_, cu_stream_non_blocking, 0);
	for (unsigned i = 0; i < slots && !err; i++)
		err = cu_->create_event(&ended_[i], cu_event_disable_timing);
	if (!relays || err)
		return err;
	err = cu_->create_stream(&inner_, cu_stream_non_blocking, 0);
	for (unsigned i = 0; i < slots && !err; i++)
		err = cu_->create_event(&passed_[i], cu_event_disable_timing);
	return err ? err : cu_->allocate(&ring_, slots * slot_size);
}

int cuda_port::open(const cuda_api &cu, cu_context context, paths::direction d, bool relays)
{
	cu_ = &cu;
	context_ = context;
	direction_ = d;
	cuda_current c(cu, context);
	int err = c.error() ? c.error() : make(relays);
	is_open_ = !err;
	return err;
}

void cuda_port::close()
{
	is_open_ = false;
	if (!cu_)
		return;
	started_ = oldest_ = 0;
	cuda_current c(*cu_, context_);
	for (cu_stream *s : {&outer_, &inner_}) {
		if (*s)
			cu_->destroy_stream(*s);
		*s = nullptr;
	}
	for (unsigned i = 0; i < slots; i++) {
		for (cu_event *e : {&passed_[i], &ended_[i]}) {
			if (*e)
				cu_->destroy_event(*e);
			*e = nullptr;
		}
	}
	if (ring_)
		cu_->free(ring_);
	ring_ = 0;
}

// The slot is free: its last piece has ended.
int cuda_port::relay_in(unsigned slot, void *host, cu_deviceptr device, cu_context owner, size_t size)
{
	cu_deviceptr at = ring_ + slot * slot_size;
	int err = cu_->copy_to_device(at, host, size, outer_);
	if (!err)
		err = cu_->record_event(passed_[slot], outer_);
	if (!err)
		err = cu_->stream_waits(inner_, passed_[slot], 0);
	if (!err)
		err = cu_->copy_to_peer(device, owner, at, context_, size, inner_);
	return err ? err : cu_->record_event(ended_[slot], inner_);
}

int cuda_port::relay_out(unsigned slot, void *host, cu_deviceptr device, cu_context owner, size_t size)
{
	cu_deviceptr at = ring_ + slot * slot_size;
	int err = cu_->copy_to_peer(at, context_, device, owner, size, inner_);
	if (!err)
		err = cu_->record_event(passed_[slot], inner_);
	if (!err)
		err = cu_->stream_waits(outer_, passed_[slot], 0);
	if (!err)
		err = cu_->copy_to_host(host, at, size, outer_);
	return err ? err : cu_->record_event(ended_[slot], outer_);
}

int cuda_port::start(void *host, cu_deviceptr device, cu_context owner, size_t size)
{
	cuda_current c(*cu_, context_);
	unsigned slot = started_ % slots;
	bool in = direction_ == paths::direction::to_device;
	int err = c.error();
	if (!err && inner_) {
		err = in ? relay_in(slot, host, device, owner, size) : relay_out(slot, host, device, owner, size);
	} else if (!err) {
		err = in ? cu_->copy_to_device(device, host, size, outer_)
			 : cu_->copy_to_host(host, device, size, outer_);
		if (!err)
			err = cu_->record_event(ended_[slot], outer_);
	}
	started_ += !err;
	return err;
}

int cuda_port::look()
{
	return cu_->query_event(ended_[oldest_ % slots]);
}

// What was begun of a piece that could not be started as a whole is waited for as well.
void cuda_port::drain()
{
	cuda_current c(*cu_, context_);
	for (cu_stream s : {inner_, outer_, inner_}) {
		if (s)
			cu_->synchronize_stream(s);
	}
	oldest_ = started_;
}

} // namespace het
