// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/leadership.h"

#include "os/clock.h"
#include "os/inject.h"

#include <bit>

namespace het
{

namespace
{

constexpr uint32_t leader_mask = 0xff, out_bit = 0x100, count_one = 0x200;
// A leader may stay out for so long, and the standby looks so often.
constexpr uint64_t patience = 1000000; // ns
// After so many looks at which nothing had happened it sleeps until it is woken.
constexpr unsigned quiet_looks = 16;

constexpr uint32_t next_count(uint32_t word)
{
	return (word & ~(leader_mask | out_bit)) + count_one;
}

} // namespace

// It is false if the caller is to take the lead, if the word is still @seen.
bool leadership::wait_as_standby(uint32_t seen, unsigned *quiet)
{
	if (!(seen & leader_mask))
		return false;
	if (seen & out_bit) {
		uint64_t out = now_ns() - out_since_.load();
		if (out >= patience)
			return false;
		*quiet = 0;
		futex_wait(&word_, seen, int64_t(patience - out));
		return true;
	}
	bool deep = ++*quiet > quiet_looks;
	deep_sleep_.store(deep);
	if (word_.load() == seen)
		futex_wait(&word_, seen, deep ? -1 : int64_t(patience));
	deep_sleep_.store(false);
	if (word_.load() != seen)
		*quiet = 0;
	return true;
}

// Rings the bell of one who sleeps.
bool leadership::ring(call what)
{
	uint32_t sleepers = asleep_.fetch_or(0);
	while (sleepers && !asleep_.compare_exchange_weak(sleepers, sleepers & (sleepers - 1)))
		;
	if (!sleepers)
		return false;
	std::atomic<uint32_t> &bell = bells_[std::countr_zero(sleepers)];
	delay_point();
	bell.store(what);
	futex_wake(&bell, 1);
	return true;
}

// Returns true with the standby's place taken, or false if it was called to help.
bool leadership::take_place(unsigned me)
{
	std::atomic<uint32_t> &bell = bells_[me];
	const uint32_t self = 1u << me;
	while (!standby_.try_lock(lock_rank::lead)) {
		bell.store(silent);
		asleep_.fetch_or(self);
		delay_point();
		// Who leaves the place rings after that: it sees us asleep, or we see its place free. A call that comes
		// now is forgotten.
		if (standby_.try_lock(lock_rank::lead)) {
			asleep_.fetch_and(~self);
			break;
		}
		while (bell.load() == silent)
			futex_wait(&bell, silent);
		if (bell.load() == help)
			return false;
	}
	return true;
}

bool leadership::acquire(unsigned me)
{
	if (!take_place(me))
		return false;
	unsigned quiet = 0;
	for (;;) {
		uint32_t seen = word_.load();
		if (wait_as_standby(seen, &quiet))
			continue;
		if (word_.compare_exchange_strong(seen, next_count(seen) | (me + 1)))
			break;
	}
	standby_.unlock(lock_rank::lead);
	ring(stand_by);
	return true;
}

void leadership::release()
{
	word_.store(next_count(word_.load()));
	futex_wake(&word_, 1);
}

void leadership::step_out()
{
	uint32_t w = word_.load();
	out_since_.store(now_ns());
	word_.store((next_count(w) | (w & leader_mask)) | out_bit);
	if (deep_sleep_.exchange(false))
		futex_wake(&word_, 1);
}

bool leadership::step_in(unsigned me)
{
	uint32_t w = word_.load();
	if ((w & leader_mask) != me + 1 || !(w & out_bit))
		return false;
	return word_.compare_exchange_strong(w, next_count(w) | (me + 1));
}

} // namespace het
