// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/strips.h"

#include "core/dispatch.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>
#include <new>
#include <utility>

namespace het::rt
{

class strips::strip final : public het_event
{
      public:
	strip(strips &all, rows what)
	    : het_event(nullptr), all_(all), of_(reference<het_event>::to(&all.of_)), what_(what)
	{
		level.store(all.of_.level.load(std::memory_order_relaxed), std::memory_order_relaxed);
	}

	begin_result begin(executor &x) override
	{
		launch_shape shape = all_.plan_.shape;
		shape.part.first = what_.first;
		shape.part.count = what_.count;
		const uint32_t begun = x.begun();
		comes_after_others_ = what_.first && begun != all_.begun_there_;
		all_.begun_there_ = begun + 1;
		delay_point();
		const int err = all_.device_.compute->submit(*all_.plan_.kernel, shape, all_.args_, on_device);
		return err ? begin_result(err) : begin_result(begin_result::in_flight);
	}
	int end(int device_error) override { return device_error; }
	void after(int status) override { all_.is_over(*this, status); }
	bool is_empty() const override { return false; }

	size_t nrows() const { return what_.count; }
	bool comes_after_others() const { return comes_after_others_; }

      private:
	strips &all_;
	const reference<het_event> of_; // which has all_
	const rows what_;
	bool comes_after_others_ = false;
};

// Returns null if there is nothing left to do, or no memory for it. Has the lock.
strips::strip *strips::make_next()
{
	const rows r = failure_ ? rows{0, 0} : sizes_.next();
	if (!r.count)
		return nullptr;
	auto *s = new (std::nothrow) strip(*this, r);
	if (!s) {
		failure_ = fail(HET_ENOMEM, "het_launch: no memory for a part of a kernel that others may come before");
		return nullptr;
	}
	*std::find(std::begin(under_way_), std::end(under_way_), nullptr) = s;
	return s;
}

void strips::hand_over(strip *s)
{
	start_part(s, device_.executor);
}

// The first may be over, and start the third, before the second is made.
int strips::start()
{
	auto keep = reference<het_event>::to(&of_);
	strip *first[with_device] = {};
	lock_.lock(lock_rank::structure);
	for (strip *&s : first)
		s = make_next();
	const int err = first[0] ? 0 : failure_;
	lock_.unlock(lock_rank::structure);
	for (strip *s : first)
		if (s)
			hand_over(s);
	return err;
}

void strips::rise()
{
	lock_.lock(lock_rank::structure);
	for (strip *s : under_way_) {
		if (!s)
			continue;
		s->level.store(of_.level.load(std::memory_order_relaxed), std::memory_order_relaxed);
		device_.executor.move_up(*s);
	}
	lock_.unlock(lock_rank::structure);
}

void strips::is_over(strip &s, int status)
{
	lock_.lock(lock_rank::structure);
	*std::find(std::begin(under_way_), std::end(under_way_), &s) = nullptr;
	stop_record &record = of_.on_device.stopped;
	if (s.comes_after_others()) {
		record.stops++;
		record.away_ns += last_end_ && s.started > last_end_ ? s.started - last_end_ : 0;
	}
	if (!status)
		sizes_.measured(s.nrows(), s.ended > s.started ? s.ended - s.started : 0);
	if (!last_end_)
		of_.started = s.started;
	last_end_ = std::max(last_end_, s.ended);
	if (status && !failure_) {
		failure_ = status;
		of_.why = std::move(s.why);
	}
	strip *next = make_next();
	const bool is_last = std::all_of(std::begin(under_way_), std::end(under_way_), [](strip *u) { return !u; });
	lock_.unlock(lock_rank::structure);
	if (next)
		hand_over(next);
	else if (is_last)
		complete();
}

void strips::complete()
{
	of_.ended = last_end_;
	forget_last_error();
	const int err = of_.end(failure_);
	if (err)
		of_.keep_why();
	finish(of_, failure_ ? failure_ : err);
}

} // namespace het::rt
