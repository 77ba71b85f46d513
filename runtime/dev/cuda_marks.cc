// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_marks.h"

#include "dev/cuda_wait.h"

#include <algorithm>
#include <utility>

namespace het::rt
{

// Events are made when they are first needed.
int cuda_marks::record(cu_event *event, cu_stream stream)
{
	int err = *event ? 0 : cu_.create_event(event, cu_event_blocking_sync | cu_event_disable_timing);
	return err ? err : cu_.record_event(*event, stream);
}

int cuda_marks::begin_launch(cu_stream stream, uint64_t *number)
{
	uint64_t last = launched_;
	if (waited_.load(std::memory_order_relaxed) < last) {
		if (int err = record(&events_[last % places], stream))
			return err;
		recorded_[last % places].store(last, std::memory_order_release);
		newest_recorded_.store(last, std::memory_order_release);
	}
	*number = ++launched_;
	return 0;
}

bool cuda_marks::is_recorded(uint64_t number) const
{
	return recorded_[number % places].load(std::memory_order_acquire) == number;
}

// A stream that has nothing to do has ended this launch, too. One that is busy may be so with a later one: then the
// end of this one is recorded by now, and asked for next time.
int cuda_marks::query(cu_stream stream, uint64_t number) const
{
	return is_recorded(number) ? cu_.query_event(events_[number % places]) : cu_.query_stream(stream);
}

int cuda_marks::sleep(cu_stream stream, uint64_t number)
{
	if (is_recorded(number))
		return cu_.synchronize_event(events_[number % places]);
	int err = record(&sleeping_, stream);
	return err ? err : cu_.synchronize_event(sleeping_);
}

// Returns 0 if the launch is known to have ended, what its own event said, or nothing: then it is still to be asked.
std::optional<int> cuda_marks::look_ahead(uint64_t number)
{
	if (number <= ended_)
		return 0;
	uint64_t later = std::min(number + ahead_, newest_recorded_.load(std::memory_order_acquire));
	if (later < number || !is_recorded(later)) {
		ahead_ = 0;
		return {};
	}
	int err = cu_.query_event(events_[later % places]);
	ahead_ = err ? 0 : 2 * ahead_ + 1;
	ended_ = err ? ended_ : later;
	if (err && later != number)
		return {};
	return err;
}

int cuda_marks::wait(cu_stream stream, uint64_t number)
{
	std::optional<int> known = look_ahead(number);
	auto ask = [&] {
		std::optional<int> answer = std::exchange(known, std::nullopt);
		return answer ? *answer : query(stream, number);
	};
	int err = known == 0 ? 0 : wait_for_kernel(ask, [&] { return sleep(stream, number); });
	waited_.store(number, std::memory_order_relaxed);
	return err;
}

} // namespace het::rt
