// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/mailbox.h"

#include "os/clock.h"
#include "os/inject.h"
#include "os/thread.h"

#include <algorithm>
#include <new>

namespace het
{

namespace
{

// A toucher spins for twice the usual time, unless that is more than what a sleep and a wake-up cost.
constexpr uint32_t longest_spin_ns = 50000;
constexpr uint32_t first_guess_ns = 10000;
// A fetch that took longer counts as this long.
constexpr uint64_t longest_sample_ns = 200000;

enum letter_state : uint32_t { waiting, asleep, done };

// Looks a few times whether it is so, which takes less than a look at the clock is worth.
template <class Condition> bool spin_for(Condition is_so)
{
	constexpr unsigned looks = 8;
	for (unsigned i = 0; i < looks; i++) {
		if (is_so())
			return true;
		cpu_pause();
	}
	return is_so();
}

} // namespace

struct mailbox::letter {
	explicit letter(touch t) : what(t) {}

	touch what;
	letter *next = nullptr;
	letter *prev = nullptr;
	// The toucher looks at this cache line until it is done; what the resolvers need to find the letter lies on
	// another.
	alignas(cache_line) std::atomic<uint32_t> state{waiting};
	uint64_t done_ns = 0; // 0: the toucher was awake, and knows by itself
};

mailbox::mailbox() : usual_ns_(first_guess_ns), max_spinners_(usable_cores() - 1) {}

void mailbox::append(letter &l)
{
	l.prev = last_;
	if (last_)
		last_->next = &l;
	else
		first_.store(&l, std::memory_order_release);
	last_ = &l;
	if (!first_new_.load(std::memory_order_relaxed))
		first_new_.store(&l, std::memory_order_release);
}

void mailbox::remove(letter &l)
{
	if (first_new_.load(std::memory_order_relaxed) == &l)
		first_new_.store(l.next, std::memory_order_release);
	if (l.prev)
		l.prev->next = l.next;
	else
		first_.store(l.next, std::memory_order_release);
	if (l.next)
		l.next->prev = l.prev;
	else
		last_ = l.prev;
}

// Counts one event more, for a resolver that spins or sleeps.
void mailbox::announce()
{
	// Both sides write their word before they read the other's, so one of them sees the other.
	events_.fetch_add(1, std::memory_order_seq_cst);
	if (sleepers_.load(std::memory_order_seq_cst))
		futex_wake(&events_, 1);
}

// Returns for how long a toucher should spin before it sleeps.
uint32_t mailbox::worthwhile_spin() const
{
	uint32_t usual = usual_ns_.load(std::memory_order_relaxed);
	bool core_to_spare = spinners_.load(std::memory_order_relaxed) < max_spinners_;
	return core_to_spare && usual <= longest_spin_ns / 2 ? 2 * usual : 0;
}

// Keeps a moving average of the time until complete(): how long a sleeping toucher then takes to wake up is no reason
// to let the next one sleep, too. An update that gets lost does no harm.
void mailbox::learn(uint64_t served_after_ns)
{
	int64_t usual = usual_ns_.load(std::memory_order_relaxed);
	int64_t sample = int64_t(std::min(served_after_ns, longest_sample_ns));
	usual_ns_.store(uint32_t(usual + (sample - usual) / 8), std::memory_order_relaxed);
}

void mailbox::hand_over(touch t)
{
	letter l(t);
	uint64_t begin = now_ns();
	lock_.lock(lock_rank::leaf);
	append(l);
	lock_.unlock(lock_rank::leaf);
	delay_point();
	announce();

	uint64_t looked = begin;
	auto is_done = [&l] { return l.state.load(std::memory_order_acquire) == done; };
	if (uint32_t spin = worthwhile_spin()) {
		spinners_.fetch_add(1, std::memory_order_relaxed);
		for (; looked - begin < spin && !spin_for(is_done); looked = now_ns())
			;
		spinners_.fetch_sub(1, std::memory_order_relaxed);
	}
	delay_point();
	uint32_t seen = waiting;
	if (l.state.compare_exchange_strong(seen, asleep, std::memory_order_acquire))
		while (!is_done())
			futex_wait(&l.state, asleep);
	learn((l.done_ns ? l.done_ns : looked) - begin);
}

bool mailbox::take(touch &t)
{
	if (!first_new_.load(std::memory_order_acquire))
		return false;
	lock_.lock(lock_rank::leaf);
	letter *l = first_new_.load(std::memory_order_relaxed);
	if (l) {
		t = l->what;
		first_new_.store(l->next, std::memory_order_release);
	}
	lock_.unlock(lock_rank::leaf);
	return l != nullptr;
}

bool mailbox::next(touch &t, wait_policy p)
{
	uint64_t spin_until = p.spin_ns ? now_ns() + p.spin_ns : 0;
	for (;;) {
		uint32_t seen = events_.load(std::memory_order_acquire);
		if (take(t))
			return true;
		if (!p.sleeps && !spin_until)
			return false;
		if (p.sleeps && interrupted_.exchange(false, std::memory_order_acquire))
			return false;
		while (!spin_for([&] { return events_.load(std::memory_order_acquire) != seen; }) &&
		       now_ns() < spin_until)
			;
		if (events_.load(std::memory_order_acquire) != seen)
			continue;
		if (!p.sleeps)
			return false;
		sleepers_.fetch_add(1, std::memory_order_seq_cst);
		futex_wait(&events_, seen);
		sleepers_.fetch_sub(1, std::memory_order_relaxed);
	}
}

void mailbox::interrupt()
{
	interrupted_.store(true, std::memory_order_release);
	announce();
}

// Removes the letters of @r from the list; they are linked by next.
mailbox::letter *mailbox::take_out(range r)
{
	letter *out = nullptr, **end = &out;
	lock_.lock(lock_rank::leaf);
	for (letter *l = first_.load(std::memory_order_relaxed), *following; l; l = following) {
		following = l->next;
		if (!r.contains(l->what.addr))
			continue;
		remove(*l);
		*end = l;
		end = &l->next;
	}
	*end = nullptr;
	lock_.unlock(lock_rank::leaf);
	return out;
}

void mailbox::complete(range r)
{
	// A letter that is appended from now on is seen by next(), whose caller looks at the state of the memory anew.
	if (!first_.load(std::memory_order_acquire))
		return;
	signals_blocked until_all_are_done;
	for (letter *l = take_out(r), *following; l; l = following) {
		following = l->next;
		const std::atomic<uint32_t> *word = &l->state;
		// Once it is done the letter may be gone.
		uint32_t seen = waiting;
		if (l->state.compare_exchange_strong(seen, done, std::memory_order_acq_rel))
			continue;
		l->done_ns = now_ns();
		l->state.store(done, std::memory_order_release);
		delay_point();
		// The wake may reach whatever futex lies there then. Every user of a futex must expect that, as POSIX
		// semaphores cause the same.
		futex_wake(word, 1);
	}
}

void mailbox::forked_child()
{
	new (&lock_) futex_lock;
	first_.store(nullptr, std::memory_order_relaxed);
	first_new_.store(nullptr, std::memory_order_relaxed);
	last_ = nullptr;
	sleepers_.store(0, std::memory_order_relaxed);
	spinners_.store(0, std::memory_order_relaxed);
	interrupted_.store(false, std::memory_order_relaxed);
}

} // namespace het
