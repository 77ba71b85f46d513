// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_port.h"

namespace het
{

int cuda_port::make(bool relays)
{
	int err = 0;
	for (unsigned i = 0; i < slots && !err; i++) {
		err = cu_->create_stream(&outer_[i], cu_stream_non_blocking, 0);
		if (!err)
			err = cu_->create_event(&ended_[i], cu_event_disable_timing);
	}
	if (!relays || err)
		return err;
	err = cu_->create_stream(&inner_, cu_stream_non_blocking, 0);
	for (unsigned i = 0; i < slots && !err; i++)
		err = cu_->create_event(&passed_[i], cu_event_disable_timing);
	return err ? err : cu_->allocate(&ring_, ring_size);
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
	if (inner_)
		cu_->destroy_stream(inner_);
	inner_ = nullptr;
	for (unsigned i = 0; i < slots; i++) {
		if (outer_[i])
			cu_->destroy_stream(outer_[i]);
		outer_[i] = nullptr;
		for (cu_event *e : {&passed_[i], &ended_[i]}) {
			if (*e)
				cu_->destroy_event(*e);
			*e = nullptr;
		}
	}
	if (ring_)
		cu_->free(ring_);
	ring_ = 0;
	hand_.close();
}

void cuda_port::open_hand(cu_function kernel)
{
	cuda_current c(*cu_, context_);
	if (c.error() || hand_.open(*cu_, context_, kernel))
		hand_.close();
}

// The slot is free: its last piece has ended.
int cuda_port::relay(unsigned slot, const cuda_place &to, const cuda_place &from, size_t size)
{
	const bool home = direction_ == paths::direction::to_host;
	const cu_stream first = home ? inner_ : outer_[slot], second = home ? outer_[slot] : inner_;
	const cuda_place between = {context_, ring_ + slot * slot_size};
	int err = put_copy(*cu_, between, from, size, first);
	if (!err)
		err = cu_->record_event(passed_[slot], first);
	if (!err)
		err = cu_->stream_waits(second, passed_[slot], 0);
	if (!err)
		err = put_copy(*cu_, to, between, size, second);
	return err ? err : cu_->record_event(ended_[slot], second);
}

int cuda_port::start(const cuda_place &to, const cuda_place &from, size_t size, cu_event after)
{
	cuda_current c(*cu_, context_);
	unsigned slot = started_ % slots;
	int err = c.error();
	if (!err && after)
		err = cu_->stream_waits(outer_[slot], after, 0);
	if (!err && inner_) {
		err = relay(slot, to, from, size);
	} else if (!err) {
		err = put_copy(*cu_, to, from, size, outer_[slot]);
		if (!err)
			err = cu_->record_event(ended_[slot], outer_[slot]);
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
	if (inner_)
		cu_->synchronize_stream(inner_);
	for (cu_stream s : outer_)
		cu_->synchronize_stream(s);
	if (inner_)
		cu_->synchronize_stream(inner_);
	oldest_ = started_;
}

} // namespace het
