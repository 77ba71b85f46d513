// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/strips.h"

#include "core/dispatch.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/pool.h"

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

	// Whoever ends the one before takes it, for whom a touch may wait that has malloc's locks.
	static void *operator new(size_t n, const std::nothrow_t &) noexcept { return pool().allocate(n); }
	static void operator delete(void *p, size_t n) { pool().release(p, n); }

	begin_result begin(executor &x) override
	{
		if (const int failure = all_.failure())
			return failure;
		launch_shape shape = all_.plan_.shape;
		shape.part.first = what_.first;
		shape.part.count = what_.count;
		const uint32_t begun = x.begun();
		comes_after_others_ = what_.first && begun != all_.begun_there_;
		all_.begun_there_ = begun + 1;
		delay_point();
		const int err = all_.device_.compute->submit(*all_.plan_.kernel, shape, all_.args_, on_device);
		may_have_run_ = !err || on_device.may_have_run;
		return err ? begin_result(err) : begin_result(begin_result::in_flight);
	}
	int end(int device_error) override { return device_error; }
	void after(int status) override { all_.is_over(*this, status); }
	bool is_empty() const override { return false; }

	size_t nrows() const { return what_.count; }
	bool comes_after_others() const { return comes_after_others_; }
	bool may_have_run() const { return may_have_run_; }

      private:
	strips &all_;
	const reference<het_event> of_; // which has all_
	const rows what_;
	bool comes_after_others_ = false, may_have_run_ = false;
};

int strips::failure()
{
	runtime_guard<lock_rank::structure> g(lock_);
	return failure_;
}

// Hands over the next strip. It is false if there is nothing left to do, or no memory for it. The caller has the lock.
bool strips::give_next()
{
	const rows r = failure_ ? rows{0, 0} : sizes_.next();
	if (!r.count)
		return false;
	auto *s = new (std::nothrow) strip(*this, r);
	if (!s) {
		failure_ = fail(HET_ENOMEM, "het_launch: no memory for a part of a kernel that others may come before");
		of_.keep_why();
		return false;
	}
	*std::find(std::begin(under_way_), std::end(under_way_), nullptr) = s;
	start_part(s, device_.executor);
	return true;
}

int strips::start()
{
	auto keep = reference<het_event>::to(&of_);
	runtime_guard<lock_rank::structure> g(lock_);
	const bool any = give_next();
	for (unsigned i = 1; any && i < with_device; i++)
		give_next();
	return any ? 0 : failure_;
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
	of_.on_device.may_have_run |= s.may_have_run();
	if (!status)
		sizes_.measured(s.nrows(), s.ended > s.started ? s.ended - s.started : 0);
	if (!last_end_)
		of_.started = s.started;
	last_end_ = std::max(last_end_, s.ended);
	if (status && !failure_) {
		failure_ = status;
		of_.why = std::move(s.why);
	}
	const bool is_last =
		!give_next() && std::all_of(std::begin(under_way_), std::end(under_way_), [](strip *u) { return !u; });
	lock_.unlock(lock_rank::structure);
	if (is_last)
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
