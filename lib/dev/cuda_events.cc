// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_events.h"

#include "dev/cuda_wait.h"
#include "os/pool.h"

namespace het
{

cuda_events::waiter *cuda_events::take_free()
{
	guard g(lock_, lock_rank::leaf);
	waiter *w = free_;
	if (w)
		free_ = w->next;
	return w;
}

int cuda_events::keep(cu_event event, void **kept)
{
	waiter *w = take_free();
	if (!w) {
		w = pool_array<waiter>(1);
		if (!w)
			return cu_error_out_of_memory;
		int err = cu_->create_stream(&w->stream, cu_stream_non_blocking, 0);
		if (err) {
			pool().release(w, sizeof(*w));
			return err;
		}
	}
	int err = cu_->stream_waits(w->stream, event, 0);
	if (err)
		release(w);
	else
		*kept = w;
	return err;
}

int cuda_events::wait(void *kept) const
{
	auto *w = static_cast<waiter *>(kept);
	return poll_then_wait(
		expected_ns(0), [&] { return cu_->query_stream(w->stream); },
		[&] { return cu_->synchronize_stream(w->stream); });
}

int cuda_events::look(void *kept) const
{
	return cu_->query_stream(static_cast<waiter *>(kept)->stream);
}

void cuda_events::release(void *kept)
{
	auto *w = static_cast<waiter *>(kept);
	guard g(lock_, lock_rank::leaf);
	w->next = free_;
	free_ = w;
}

void cuda_events::close()
{
	while (waiter *w = take_free()) {
		cu_->destroy_stream(w->stream);
		pool().release(w, sizeof(*w));
	}
}

} // namespace het
