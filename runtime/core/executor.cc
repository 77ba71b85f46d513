// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/executor.h"

#include "core/runtime.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/thread.h"

#include <algorithm>
#include <climits>
#include <utility>

namespace het::rt
{

namespace
{

// So many commands are in flight at most: it is enough to keep a device busy while one thread begins the next.
constexpr uint32_t depth = 32;
// So many of those are that others may come before.
constexpr uint32_t held_back_depth = 2;
constexpr int64_t tick_ns = 1'000'000;
constexpr int64_t progress_ns = 10'000'000;
// A sleep and a wake take up to as long: so whoever expects something sooner looks out for it.
constexpr uint64_t look_out_ns = 50'000;
// A device keeps so many commands for itself: to run one elsewhere may move its data.
constexpr uint32_t backlog = 2;

het_event &event_of(task &t)
{
	return static_cast<het_event &>(t);
}

// Who cancels a command, who holds it back and who begins it agree under the graph's lock; who makes it more urgent
// finds it on this lane from then on. It is false if others have it now, and hand it over again: it may be gone.
// *why_not is 0, or why it must not begin.
bool may_begin(het_event &e, uint8_t lane, int *why_not)
{
	return core().graph.locked([&] {
		if (e.held_back) {
			leave_line(e.place_in_line);
			e.set_aside = true;
			return false;
		}
		e.begun = true;
		e.on_device.lane = lane;
		e.behind = e.missing;
		*why_not = e.inherited.load();
		return true;
	});
}

// The command has not begun after all.
void take_back(het_event &e)
{
	core().graph.locked([&] { e.begun = false; });
	e.status.store(HET_QUEUED, std::memory_order_relaxed);
}

// A thread may look out where somebody else is able to get on meanwhile.
bool may_look_out()
{
	static const bool several = usable_cores() > 1;
	return several;
}

// Looks for so long whether done() is true. It looks twice a microsecond or so: thus a thread that launches and then
// waits mostly takes the command itself, before the worker looks.
template <class F> bool look_out_for(F done)
{
	if (done())
		return true;
	if (!may_look_out())
		return false;
	for (uint64_t end = now_ns() + look_out_ns; now_ns() < end;) {
		for (int i = 0; i < 16; i++)
			cpu_pause();
		if (done())
			return true;
	}
	return false;
}

} // namespace

// --- submitting ----------------------------------------------------------------

// What depends on it may follow at once. It may be over and gone as soon as it is in the list.
void executor::put_in_flight(het_event &e)
{
	node *followers = e.stream ? core().graph.set_under_way(e, this) : nullptr;
	bool is_watched = e.on_device.may_stop; // as it comes back only to whoever waits for it
	flight_lock_.lock(lock_rank::leaf);
	(newest_ ? newest_->next_in_flight : oldest_) = &e;
	newest_ = &e;
	flight_lock_.unlock(lock_rank::leaf);
	flights_.fetch_add(1);
	begun_.fetch_add(1);
	if (is_watched)
		attend();
	while (followers) {
		auto &next = static_cast<het_event &>(*followers);
		followers = std::exchange(next.next_ready, nullptr);
		hand_over(next);
	}
}

// What is more urgent than a kernel comes between its groups. While it runs the thread counts as helping, as what it
// calls back may wait for the kernel.
class executor::more_urgent final : public interlude
{
      public:
	more_urgent(executor &on, het_event &than) : on_(on), than_(than) {}
	bool is_wanted() const override
	{
		return !was_refused_ && levels_in_use().are_several() && preempting_allowed() != preempting::off &&
		       on_.ready_.has_above(level());
	}
	void run() override
	{
		task *t = on_.ready_.take_above(level());
		if (!t)
			return;
		const uint64_t since = now_ns();
		was_refused_ = !on_.start_as_helper(event_of(*t));
		stop_record &record = than_.on_device.stopped;
		record.stops += !was_refused_;
		record.away_ns += now_ns() - since;
	}

      private:
	unsigned level() const { return index_of_level(than_.level.load(std::memory_order_relaxed)); }

	executor &on_;
	het_event &than_;
	bool was_refused_ = false; // it may have to wait for the kernel
};

// The submit lock is held if there is a queue. What fails behind others is tried again when they have ended.
begin_result executor::begin(het_event &e)
{
	int why_not = 0;
	if (!may_begin(e, lane_, &why_not))
		return begin_result::detached;
	if (e.behind && (why_not || core().devices[number_]->lost.load())) {
		take_back(e);
		return begin_result::refused;
	}
	if (why_not) {
		leave_line(e.place_in_line);
		return why_not;
	}
	e.status.store(has_queue() ? HET_SUBMITTED : HET_RUNNING, std::memory_order_relaxed);
	e.started = now_ns();
	e.on_device.level = &e.level;
	more_urgent between(*this, e);
	e.on_device.between = has_queue() ? nullptr : &between;
	forget_last_error();
	begin_result b = e.begin(*this);
	if (b.status && !e.behind)
		e.keep_why();
	if (b.status == HET_EDEVICE && device_)
		core().above->failed(*core().devices[number_]);
	if (b.status && e.behind)
		b = begin_result::refused;
	if (b.how == begin_result::refused)
		take_back(e);
	else if (b.how != begin_result::detached) // of which nothing may be left
		leave_line(e.place_in_line);
	if (b.how == begin_result::in_flight)
		put_in_flight(e);
	return b;
}

begin_result executor::begin_alone(het_event &e)
{
	if (!has_queue())
		return begin(e);
	submitting_.lock(lock_rank::driver);
	begin_result b = begin(e);
	submitting_.unlock(lock_rank::driver);
	return b;
}

// Gives a command that others may do to one of them if the device will not do it.
bool executor::pass_on(het_event &e)
{
	if (!device_ || !e.stealable_by || !core().devices[number_]->lost.load())
		return false;
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (!(e.stealable_by >> i & 1) || d.lost.load())
			continue;
		discount(e);
		leave_line(e.place_in_line);
		e.where.store(&d.executor);
		d.executor.hand_over(e);
		return true;
	}
	return false;
}

// Starts a command that the caller has taken from the deque. It is false if the command lies there again, as others
// must end first, and these may lie behind it.
bool executor::start(het_event &e)
{
	delay_point();
	if (!core().graph.is_behind(e) && pass_on(e))
		return true;
	begin_result b = begin_alone(e);
	bool lies_here = b.how == begin_result::refused && !e.behind;
	if (lies_here)
		ready_.push_last(e, index_of_level(e.level.load())); // others are tried first
	else if (b.how == begin_result::refused)
		core().above->must_wait(e);
	else if (b.how == begin_result::over)
		core().above->finished(e, b.status);
	return !lies_here;
}

void executor::count(het_event &e)
{
	if (e.expected_ns && !std::exchange(e.counted, true))
		expected_ns_.fetch_add(e.expected_ns, std::memory_order_relaxed);
}

void executor::discount(het_event &e)
{
	if (std::exchange(e.counted, false))
		expected_ns_.fetch_sub(e.expected_ns, std::memory_order_relaxed);
}

void executor::offer(het_event &e)
{
	count(e);
	if (e.begins_anywhere()) {
		start(e); // is never refused
		return;
	}
	bool idle = has_queue() && ready_.empty() && flights_.load() < depth_for(e.level.load());
	if (!idle || !submitting_.try_lock(lock_rank::driver)) {
		hand_over(e);
		return;
	}
	begin_result b = begin(e);
	submitting_.unlock(lock_rank::driver);
	if (b.how == begin_result::refused && e.behind)
		core().above->must_wait(e);
	else if (b.how == begin_result::refused)
		hand_over(e);
	else if (b.how == begin_result::over)
		core().above->finished(e, b.status);
	else if (b.how == begin_result::in_flight && !ticking_.load())
		ring();
}

// Who makes a command more urgent looks where it lies, under the graph's lock. If the second level comes while the
// command is put down without that he may not have found it, so it is taken up again if it still lies here.
void executor::hand_over(het_event &e)
{
	delay_point();
	if (!e.in) {
		put_down(e, *this);
		return;
	}
	if (!levels_in_use().are_several()) {
		const auto kept = reference<het_event>::to(&e); // it may be over when it has been put down
		put_down(e, *this);
		if (levels_in_use().are_several())
			core().graph.locked([&] { move_up(e); });
		return;
	}
	core().graph.locked([&] { put_down(e, place_of(e)); });
}

void executor::put_down(het_event &e, executor &place)
{
	if (&place != this) {
		discount(e);
		e.where.store(&place);
	}
	place.count(e);
	uint32_t thieves = e.behind || place.lane_ ? 0 : e.stealable_by; // it may be over when it has been pushed
	const unsigned level = index_of_level(e.level.load());
	delay_point();
	place.ready_.push(e, level);
	place.ring();
	if (!thieves || place.ready_.size() < backlog)
		return;
	core().for_executors([&](executor &x) {
		if (&x != &place && !x.lane_ && (thieves >> x.number_ & 1) && !x.load())
			x.ring();
	});
}

// Returns the lane for a command that has become more urgent since its launch. Parts of others' commands, which are in
// no graph, stay with the device's own executor; what is behind others, on their stream.
executor &executor::place_of(const het_event &e)
{
	if (!e.in || e.behind || !has_lanes() || !levels_in_use().are_several())
		return *this;
	return core().devices[number_]->lanes.at(e.level.load());
}

bool executor::move_up(het_event &e)
{
	bool lies_here = ready_.take(e);
	if (lies_here)
		put_down(e, place_of(e));
	return lies_here;
}

bool executor::withdraw(het_event &e)
{
	const bool lies_here = ready_.take(e);
	if (lies_here)
		leave_line(e.place_in_line);
	return lies_here;
}

// Others may come before commands of such a level: what is handed to the device early can't be held back any longer.
// Where it can be stopped it comes back in the order in which it was handed over, so no other is to wait for that.
uint32_t executor::depth_for(int level) const
{
	bool holds_back = levels_in_use().is_below_others(level) && preempting_allowed() != preempting::off;
	return !holds_back ? depth : has_lanes() ? 1 : held_back_depth;
}

// --- reaping -------------------------------------------------------------------

// Waits for the oldest command in flight. It is false if there is none, or somebody else does it.
bool executor::reap()
{
	if (!flights_.load() || reaping_.exchange(true))
		return false;
	flight_lock_.lock(lock_rank::leaf);
	het_event *e = oldest_;
	flight_lock_.unlock(lock_rank::leaf);
	if (!e) {
		reaping_.store(false);
		return false;
	}
	command_times times;
	forget_last_error();
	e->watched = now_ns();
	int err = device_->wait(e->on_device, times);
	if (err) {
		e->keep_why(); // has the driver's words, before the device is asked
		core().above->failed(*core().devices[number_]);
	}
	if (times.ended) {
		e->started = times.started;
		e->ended = times.ended;
	}
	flight_lock_.lock(lock_rank::leaf);
	oldest_ = e->next_in_flight;
	newest_ = oldest_ ? newest_ : nullptr;
	flight_lock_.unlock(lock_rank::leaf);
	flights_.fetch_sub(1);
	reaped_.fetch_add(1);
	if (!ready_.empty())
		ring(); // there is room for what was held back
	delay_point();
	int err_of_end = e->end(err);
	if (err_of_end)
		e->keep_why();
	reaping_.store(false);
	core().above->finished(*e, err ? err : err_of_end);
	return true;
}

bool executor::runs(const het_event &e)
{
	if (!has_queue())
		return true;
	flight_lock_.lock(lock_rank::leaf);
	bool first = oldest_ == &e;
	flight_lock_.unlock(lock_rank::leaf);
	return first;
}

void executor::attend()
{
	if (has_queue() && flights_.load() && !attended_.exchange(true))
		ring();
}

// Returns what the caller, who waits for @e, can start: that, or a command before it in its queue, which mostly is what
// it waits for. The worker would have to be woken for it, and would then wake the caller.
het_event *executor::next_for(het_event &e)
{
	if (ready_.take(e))
		return &e;
	auto is_before = [&](task &t) { return event_of(t).in == e.in && event_of(t).number < e.number; };
	bool may = has_queue() && e.in && flights_.load() < depth_for(e.level.load());
	task *t = may ? ready_.take_first(is_before) : nullptr;
	return t ? &event_of(*t) : nullptr;
}

void executor::drive_until_finished(het_event &e)
{
	waiters_.fetch_add(1);
	while (!e.is_finished() && e.where.load() == this) {
		uint32_t seen = progress();
		het_event *next = next_for(e);
		if (!next) {
			bool soon = !has_queue() && look_out_for([&] { return e.is_finished() || ready_.has(e); });
			if (!soon && !reap())
				e.sleep_until_finished();
		} else if (!start(*next)) {
			ring();
			if (!reap())
				wait_for_progress(seen);
		}
	}
	waiters_.fetch_sub(1);
	if (flights_.load() && (waiters_.load() || attended_.load()))
		ring();
}

// --- the worker ----------------------------------------------------------------

// One wake is enough: the worker takes a while to come, in which many commands may.
void executor::ring()
{
	bell_.fetch_add(1);
	if (asleep_.load() && asleep_.exchange(false))
		futex_wake(&bell_, 1);
}

static thread_local executor *of_this_worker;
static thread_local bool helping;

// Returns the level that comes next, or a number that is none if it has to wait.
unsigned executor::choose_level(uint32_t waiting)
{
	uint64_t now = now_ns();
	unsigned next = ageing_.look(waiting, now);
	return flights_.load() < depth_for(level_of_index(next)) ? ageing_.choose(waiting, now) : level_queue::levels;
}

task *executor::next_of_own()
{
	// A lane has one level, but for what others have raised.
	if (has_lanes() && flights_.load() >= depth_for(level_))
		return nullptr;
	return ready_.take([this](uint32_t waiting) { return choose_level(waiting); }, levels_in_use().are_several());
}

// Returns the oldest of its own, else the newest that another has and that may run here.
task *executor::next_task()
{
	if (task *t = next_of_own())
		return t;
	task *stolen = nullptr;
	core().for_executors([&](executor &other) {
		if (stolen || lane_ || other.lane_ || &other == this || other.ready_.size() < backlog)
			return;
		stolen = other.ready_.steal([&](task &t) {
			const het_event &e = event_of(t);
			return !e.behind && (e.stealable_by >> number_ & 1);
		});
	});
	if (stolen) {
		leave_line(event_of(*stolen).place_in_line);
		event_of(*stolen).where.load()->discount(event_of(*stolen));
		event_of(*stolen).where.store(this);
		count(event_of(*stolen));
	}
	return stolen;
}

bool executor::work_once()
{
	bool busy = false;
	uint32_t seen = progress(), refused = 0; // counts those one after the other
	while (flights_.load() < depth && refused <= ready_.size()) {
		task *t = next_task();
		if (!t)
			break;
		refused = start(event_of(*t)) ? 0 : refused + 1;
		attended_.store(true);
		busy = true;
	}
	bool reaped = (attended_.load() || !ready_.empty()) && reap();
	busy |= reaped;
	if (refused && !reaped)
		wait_for_progress(seen);
	if (attended_.load() && !flights_.load()) {
		attended_.store(false);
		// Somebody may have relied on it just now.
		if (flights_.load())
			attended_.store(true);
	}
	return busy;
}

void executor::sleep(uint32_t seen, int64_t timeout_ns)
{
	asleep_.store(true);
	if (bell_.load() == seen)
		futex_wait(&bell_, seen, timeout_ns);
	asleep_.store(false);
}

// Sleeps for a tick while commands come, and for ever when none has come during a tick.
void executor::rest(uint32_t bell)
{
	if (!has_queue() && expects_soon_ && look_out_for([&] { return bell_.load() != bell; }))
		return;
	uint64_t began = now_ns();
	uint32_t begun = begun_.load(), reaped = reaped_.load();
	if (begun == begun_at_tick_ && !flights_.load() && ready_.empty()) {
		ticking_.store(false);
		if (!flights_.load() && ready_.empty())
			sleep(bell, -1);
		ticking_.store(true);
	} else {
		begun_at_tick_ = begun;
		sleep(bell, tick_ns);
		if (flights_.load() && reaped_.load() == reaped && bell_.load() == bell)
			attended_.store(true);
	}
	expects_soon_ = now_ns() - began < look_out_ns;
}

// Locks are taken several times for each command, and to block signals each time is two system calls. This thread has
// them blocked from its start; what is open are faults, and who holds a lock touches nothing that can be trapped. What
// the program's code makes of that is undone behind it (class program_code).
void executor::work()
{
	signals_blocked for_life;
	faults_taken by_program_code; // lets kernels, and callbacks, touch trapped memory
	of_this_worker = this;
	for (;;) {
		uint32_t bell = bell_.load();
		if (!work_once())
			rest(bell);
	}
}

bool executor::start_worker()
{
	ticking_.store(true);
	return start_thread(
		"het-worker", [](void *arg) { static_cast<executor *>(arg)->work(); }, this);
}

void note_progress()
{
	core().finished.fetch_add(1);
	if (core().awaiting_progress.load())
		futex_wake(&core().finished, INT_MAX);
}

uint32_t progress()
{
	return core().finished.load();
}

void wait_for_progress(uint32_t seen)
{
	core().awaiting_progress.fetch_add(1);
	core().for_executors([](executor &x) { x.attend(); });
	if (core().unfinished.load())
		futex_wait(&core().finished, seen, progress_ns);
	core().awaiting_progress.fetch_sub(1);
}

void help_progress()
{
	bool was_helping = std::exchange(helping, true);
	uint32_t seen = progress();
	if (!of_this_worker || !of_this_worker->work_once())
		wait_for_progress(seen);
	helping = was_helping;
}

bool executor::start_as_helper(het_event &e)
{
	const bool was_helping = std::exchange(helping, true);
	const bool started = start(e);
	helping = was_helping;
	return started;
}

bool is_worker()
{
	return of_this_worker;
}

bool is_helping()
{
	return helping;
}

} // namespace het::rt
