// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/stop_threads.h"

#include "os/clock.h"
#include "os/log.h"
#include "os/mapping.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace het
{

namespace
{

constexpr uint32_t max_threads = 1 << 16;

// Signals below this one are popular with programs and language run-time systems.
constexpr int first_choice = 6;

// Threads that have not answered are looked after in pauses that double from the first to the last of these. From the
// second on it is worth reading /proc.
constexpr uint64_t first_review_ns = 500000, close_review_ns = 5000000, last_review_ns = 10000000;

// The signal belongs to this object. The signal stays taken, as one may be pending somewhere.
std::atomic<thread_stopper *> active_stopper{nullptr};
std::atomic<int> stop_signal{0};

// A record has such a state in one word with the epoch that it belongs to, so that a thread which answers late changes
// nothing. From stopped on a record is settled.
enum : uint32_t {
	fresh,
	called,        // has been sent the signal
	stopped,       // waits in the signal handler
	excused,       // waits in a thread_stopper::parked
	thread_asleep, // can't take the signal, but can't go on either
	out,           // is the caller, has gone, or is spared
	state_bits = 3,
};

// Says what is known of a thread that has not answered.
enum class fate { may_answer, sleeps, gone, hopeless };

constexpr uint32_t in_epoch(uint32_t epoch, uint32_t state)
{
	return epoch << state_bits | state;
}

constexpr uint32_t state_of(uint32_t word)
{
	return word & ((1u << state_bits) - 1);
}

fate fate_of(pid_t tid, bool look_closely, bool patience_is_over)
{
	if (!task_exists(tid) || is_spared(tid))
		return fate::gone;
	// The thread waits, with signals blocked, for something that a stopped thread holds: at the end of
	// pthread_exit(), or inside this library.
	if (look_closely && task_sleeps(tid))
		return fate::sleeps;
	return patience_is_over || (look_closely && task_ended(tid)) ? fate::hopeless : fate::may_answer;
}

// The thread is waited for no more. A main thread after pthread_exit() is one of these, and harmless.
void give_up(pid_t tid)
{
	spare_thread(tid);
	if (!task_ended(tid))
		warn("thread %d does not answer the signal which stops it (does it block signal %d?): it goes on while "
		     "data is copied, and may see old bytes; libgpuvm would hang here",
		     int(tid), stop_signal.load());
}

} // namespace

struct alignas(64) thread_stopper::record {
	pid_t tid;
	std::atomic<uint32_t> state;
	std::atomic<uint32_t> go_on; // the semaphore: the last epoch that is over for this thread
};

bool thread_stopper::open(const char **why)
{
	*why = "the list of threads can't be read (no /proc)";
	if (!task_count())
		return false;
	*why = "no memory for the list of threads";
	records_ = static_cast<record *>(map_private(max_threads * sizeof(record)));
	if (!records_)
		return false;
	thread_stopper *none = nullptr;
	*why = "this process has another trap that stops threads";
	if (!active_stopper.compare_exchange_strong(none, this))
		return false;

	struct sigaction now, ours = {};
	ours.sa_sigaction = on_signal;
	ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	sigfillset(&ours.sa_mask);
	*why = "no real-time signal is free";
	for (int s = SIGRTMIN + first_choice; !stop_signal.load() && s <= SIGRTMAX; s++)
		if (!sigaction(s, nullptr, &now) && now.sa_handler == SIG_DFL && !sigaction(s, &ours, nullptr))
			stop_signal.store(s);
	if (!stop_signal.load())
		return false;
	*why = nullptr;
	return true;
}

thread_stopper::~thread_stopper()
{
	thread_stopper *self = this;
	active_stopper.compare_exchange_strong(self, nullptr);
	if (records_)
		unmap(range_of(records_, max_threads * sizeof(record)));
}

// --- in the threads that are stopped ---

void thread_stopper::on_signal(int, siginfo_t *info, void *)
{
	int saved = errno;
	thread_stopper *self = active_stopper.load(std::memory_order_acquire);
	if (self && info->si_code == SI_QUEUE)
		self->wait_here(reinterpret_cast<uintptr_t>(info->si_value.sival_ptr));
	errno = saved;
}

// @ticket has the epoch of the stop and the index of this thread's record.
void thread_stopper::wait_here(uint64_t ticket)
{
	auto epoch = uint32_t(ticket >> 32), index = uint32_t(ticket);
	if (index >= count_.load(std::memory_order_acquire))
		return;
	record &r = records_[index];
	if (!settle(r, epoch, stopped)) {
		// The thread is too late: it is not counted on any more, and nobody will post its semaphore.
		while (epoch_.load(std::memory_order_acquire) == epoch)
			futex_wait(&epoch_, epoch);
		return;
	}
	uint32_t passed;
	while (int32_t((passed = r.go_on.load(std::memory_order_acquire)) - epoch) < 0)
		futex_wait(&r.go_on, passed);
}

thread_stopper::parked::parked(thread_stopper &s) : stopper_(s), tid_(this_task())
{
	s.lock_.lock(lock_rank::leaf);
	next_ = s.parked_;
	if (next_)
		next_->prev_ = this;
	s.parked_ = this;
	if (s.epoch_.load(std::memory_order_relaxed) & 1)
		s.settle_thread(tid_, excused);
	s.lock_.unlock(lock_rank::leaf);
}

thread_stopper::parked::~parked()
{
	thread_stopper &s = stopper_;
	uint32_t epoch;
	s.lock_.lock(lock_rank::leaf);
	while ((epoch = s.epoch_.load(std::memory_order_relaxed)) & 1) {
		s.lock_.unlock(lock_rank::leaf);
		futex_wait(&s.epoch_, epoch);
		s.lock_.lock(lock_rank::leaf);
	}
	(prev_ ? prev_->next_ : s.parked_) = next_;
	if (next_)
		next_->prev_ = prev_;
	s.lock_.unlock(lock_rank::leaf);
}

// Notes that a thread is dealt with, and in state @to. Returns false if it was before, or the epoch is over.
bool thread_stopper::settle(record &r, uint32_t epoch, uint32_t to)
{
	uint32_t now = r.state.load(std::memory_order_relaxed);
	do {
		if (now != in_epoch(epoch, fresh) && now != in_epoch(epoch, called))
			return false;
	} while (!r.state.compare_exchange_weak(now, in_epoch(epoch, to), std::memory_order_acq_rel));
	if (settled_.fetch_add(1, std::memory_order_acq_rel) + 1 == goal_.load(std::memory_order_acquire))
		futex_wake(&settled_, 1);
	return true;
}

bool thread_stopper::settle_thread(pid_t tid, uint32_t to)
{
	record *end = records_ + count_.load(std::memory_order_relaxed);
	record *r = std::find_if(records_, end, [tid](const record &x) { return x.tid == tid; });
	return r != end && settle(*r, epoch_.load(std::memory_order_relaxed), to);
}

// --- in the thread that stops the others ---

// Whoever waits for its turn counts as stopped.
void thread_stopper::take_turn()
{
	uint32_t free = 0;
	if (turn_.compare_exchange_strong(free, 1, std::memory_order_acquire))
		return;
	parked p(*this);
	while (turn_.exchange(2, std::memory_order_acquire) != 0)
		futex_wait(&turn_, 2);
}

void thread_stopper::begin_epoch()
{
	guard g(lock_, lock_rank::leaf);
	uint32_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
	if (some_have_gone_)
		count_.store(0, std::memory_order_relaxed);
	some_have_gone_ = false;
	settled_.store(0, std::memory_order_relaxed);
	goal_.store(0, std::memory_order_relaxed);
	uint32_t count = count_.load(std::memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++)
		records_[i].state.store(in_epoch(epoch, fresh), std::memory_order_relaxed);
	epoch_.store(epoch, std::memory_order_release);
	for (parked *p = parked_; p; p = p->next_)
		settle_thread(p->tid_, excused);
	settle_thread(caller_, out);
}

void thread_stopper::add(pid_t tid)
{
	guard g(lock_, lock_rank::leaf);
	uint32_t epoch = epoch_.load(std::memory_order_relaxed), n = count_.load(std::memory_order_relaxed);
	if (n == max_threads)
		return;
	record *end = records_ + n;
	if (std::find_if(records_, end, [tid](const record &x) { return x.tid == tid; }) != end)
		return;
	records_[n].tid = tid;
	records_[n].state.store(in_epoch(epoch, fresh), std::memory_order_relaxed);
	count_.store(n + 1, std::memory_order_release);
	for (parked *p = parked_; p; p = p->next_)
		if (p->tid_ == tid)
			settle(records_[n], epoch, excused);
	if (tid == caller_)
		settle(records_[n], epoch, out);
}

void thread_stopper::add_unknown_threads()
{
	list_.read();
	for (pid_t tid : list_.tids())
		if (!is_spared(tid))
			add(tid);
}

void thread_stopper::call(record &r)
{
	uint32_t epoch = epoch_.load(std::memory_order_relaxed);
	uint32_t now = in_epoch(epoch, fresh);
	// This comes before the signal, which may be answered at once.
	if (!r.state.compare_exchange_strong(now, in_epoch(epoch, called), std::memory_order_acq_rel))
		return;
	siginfo_t info = {};
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_ptr = reinterpret_cast<void *>(uintptr_t{epoch} << 32 | uintptr_t(&r - records_));
	if (!syscall(SYS_rt_tgsigqueueinfo, getpid(), r.tid, stop_signal.load(), &info))
		return;
	if (errno == EAGAIN) { // too many signals are queued; the next review tries again
		now = in_epoch(epoch, called);
		r.state.compare_exchange_strong(now, in_epoch(epoch, fresh), std::memory_order_acq_rel);
		return;
	}
	some_have_gone_ = true;
	settle(r, epoch, out);
}

void thread_stopper::call_threads()
{
	uint32_t count = count_.load(std::memory_order_relaxed);
	goal_.store(count, std::memory_order_release);
	for (uint32_t i = 0; i < count; i++)
		call(records_[i]);
}

// Looks after those that have not answered.
void thread_stopper::review(bool look_closely, bool patience_is_over)
{
	uint32_t epoch = epoch_.load(std::memory_order_relaxed);
	for (uint32_t i = 0; i < count_.load(std::memory_order_relaxed); i++) {
		record &r = records_[i];
		if (state_of(r.state.load(std::memory_order_acquire)) >= stopped)
			continue;
		fate f = fate_of(r.tid, look_closely, patience_is_over);
		if (f == fate::may_answer) {
			call(r);
			continue;
		}
		// A thread that answered while we looked has stopped.
		if (!settle(r, epoch, f == fate::sleeps ? thread_asleep : out))
			continue;
		some_have_gone_ |= f != fate::sleeps;
		if (f == fate::hopeless)
			give_up(r.tid);
	}
}

// Whoever woke up a sleeper was not stopped then: it is waited for after all.
bool thread_stopper::sleepers_still_sleep()
{
	uint32_t epoch = epoch_.load(std::memory_order_relaxed), woken = 0;
	for (uint32_t i = 0; i < count_.load(std::memory_order_relaxed); i++) {
		record &r = records_[i];
		uint32_t slept = in_epoch(epoch, thread_asleep);
		if (r.state.load(std::memory_order_acquire) == slept && !task_sleeps(r.tid) &&
		    r.state.compare_exchange_strong(slept, in_epoch(epoch, called), std::memory_order_acq_rel))
			woken++;
	}
	settled_.fetch_sub(woken, std::memory_order_acq_rel);
	return !woken;
}

void thread_stopper::collect_answers()
{
	uint64_t patience_ends = now_ns() + patience_ns_, pause = first_review_ns;
	uint32_t seen;
	while ((seen = settled_.load(std::memory_order_acquire)) < count_.load(std::memory_order_relaxed)) {
		futex_wait(&settled_, seen, int64_t(pause));
		if (settled_.load(std::memory_order_acquire) == count_.load(std::memory_order_relaxed))
			return;
		review(pause >= close_review_ns, now_ns() > patience_ends);
		pause = std::min(2 * pause, last_review_ns);
	}
}

bool thread_stopper::all_threads_accounted_for()
{
	size_t known = prune_spared_threads();
	for (uint32_t i = 0; i < count_.load(std::memory_order_relaxed); i++) {
		record &r = records_[i];
		uint32_t state = state_of(r.state.load(std::memory_order_relaxed));
		if (is_spared(r.tid)) // since lately; counted already
			some_have_gone_ = true;
		else
			known += state == stopped || state == excused || state == thread_asleep ||
				 (state == out && r.tid == caller_);
	}
	size_t counted = task_count();
	return counted == known || !counted;
}

void thread_stopper::stop()
{
	take_turn();
	pid_t self = this_task();
	caller_ = is_spared(self) ? 0 : self;
	begin_epoch();
	// Threads that are born by others which have not stopped yet make more rounds; so do those that end.
	uint64_t last_round = now_ns() + 4 * patience_ns_;
	if (!count_.load(std::memory_order_relaxed))
		add_unknown_threads();
	for (;;) {
		call_threads();
		collect_answers();
		if (sleepers_still_sleep() && all_threads_accounted_for())
			break;
		if (now_ns() > last_round) {
			warn("threads come and go too fast to be stopped: some go on while data is copied");
			break;
		}
		add_unknown_threads();
	}
	stopped_since_.store(now_ns(), std::memory_order_relaxed);
}

// Returns false if the stop is over already. The caller holds the stopper's lock.
bool thread_stopper::end_epoch(uint32_t epoch)
{
	if (!(epoch & 1) || epoch_.load(std::memory_order_relaxed) != epoch)
		return false;
	epoch_.store(epoch + 1, std::memory_order_release);
	stopped_since_.store(0, std::memory_order_relaxed);
	return true;
}

void thread_stopper::post_semaphores(uint32_t epoch)
{
	futex_wake(&epoch_, INT_MAX);
	for (uint32_t i = 0; i < count_.load(std::memory_order_relaxed); i++) {
		record &r = records_[i];
		if (r.state.load(std::memory_order_acquire) != in_epoch(epoch, stopped))
			continue;
		r.go_on.store(epoch, std::memory_order_release);
		futex_wake(&r.go_on, 1);
	}
}

void thread_stopper::resume()
{
	uint32_t epoch;
	bool ours;
	{
		guard g(lock_, lock_rank::leaf);
		epoch = epoch_.load(std::memory_order_relaxed);
		ours = end_epoch(epoch);
	}
	if (ours)
		post_semaphores(epoch);
	if (turn_.exchange(0, std::memory_order_release) == 2)
		futex_wake(&turn_, 1);
}

// The lock is held to the end: the next stop begins when resume() has had it.
bool thread_stopper::resume_after(uint64_t ns)
{
	guard g(lock_, lock_rank::leaf);
	uint64_t since = stopped_since_.load(std::memory_order_relaxed);
	uint32_t epoch = epoch_.load(std::memory_order_relaxed);
	if (!since || now_ns() < since + ns || !end_epoch(epoch))
		return false;
	post_semaphores(epoch);
	return true;
}

void thread_stopper::forked_child()
{
	new (&lock_) futex_lock;
	spared_threads_forked_child();
	parked_ = nullptr;
	some_have_gone_ = true;
	epoch_.store((epoch_.load() + 1) & ~1u);
	stopped_since_.store(0, std::memory_order_relaxed);
	turn_.store(0, std::memory_order_relaxed);
}

} // namespace het
