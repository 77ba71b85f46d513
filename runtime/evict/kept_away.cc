// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a device has of host memory that is not at home: it is the only copy.
#include "evict/kept_blocks.h"
#include "evict/runs.h"
#include "os/inject.h"

#include <algorithm>

namespace het::rt
{

// --- it changes ----------------------------------------------------------------

bool kept_blocks::takes_away(const block &b, range r, uintptr_t to_user, bool only_again) const
{
	if (only_again)
		return false;
	if (b.away.empty())
		return fits(b, r);
	return !b.is_filling && !b.is_spoilt && are_one_run(b.away, r) && b.to_user == to_user;
}

overwriting kept_blocks::begin_overwrite(range r, uintptr_t to_user, bool pinned, bool only_again, kept_part &to)
{
	const guard l(lock_, lock_rank::leaf);
	const range bytes = narenas_ ? first_block_of(r) : r;
	to = {.bytes = bytes};
	if (!narenas_ || r.empty())
		return overwriting::refused;
	unsigned i = find_block(bytes.begin >> bits_);
	const bool again = i != none && block_at(i).away.overlaps(bytes);
	if (again && block_at(i).is_filling)
		return overwriting::later;
	if (i != none && !again && !takes_away(block_at(i), bytes, to_user, only_again))
		return overwriting::refused;
	if (i == none) {
		i = only_again ? none : find_room();
		if (i == none)
			return overwriting::refused;
		block_at(i) = {.number = bytes.begin >> bits_};
	}
	block &b = block_at(i);
	if (!are_one_run(b.kept, bytes))
		b.kept = {};
	if (b.away.empty()) {
		b.to_user = to_user;
		b.is_pinned = pinned;
	}
	b.filled = bytes;
	b.is_filling = true;
	b.used = launch_;
	to = part_of(i, bytes);
	to.only_copy = again;
	return overwriting::begun;
}

// What was away may have come home meanwhile, and others may have made a gap in it.
bool kept_blocks::end_overwrite(const kept_part &to, bool ok)
{
	bool is_away = false;
	{
		const guard l(lock_, lock_rank::leaf);
		block &b = block_at(to.block);
		const bool is_there = ok && b.filled == to.bytes;
		is_away = is_there && (b.away.empty() || are_one_run(b.away, to.bytes));
		if (is_away) {
			b.kept = are_one_run(b.kept, to.bytes) ? hull_of(b.kept, to.bytes) : to.bytes;
			b.is_spoilt = b.is_spoilt && !to.bytes.covers(b.away);
			set_away(b, b.away.empty() ? to.bytes : hull_of(b.away, to.bytes));
		} else if (b.away.overlaps(to.bytes)) {
			b.is_spoilt = true;
		} else {
			cut(b, to.bytes);
		}
		b.filled = {};
		b.is_filling = false;
	}
	has_filled();
	return is_away;
}

void kept_blocks::wait_for_fill(uint32_t seen)
{
	while (fills_.load() == seen)
		futex_wait(&fills_, seen);
}

// --- it is asked for -----------------------------------------------------------

// Signals are blocked here already, or the thread has none to fear: it serves a touch.
bool kept_blocks::find_away(range r, kept_part &found)
{
	const runtime_guard l(lock_);
	range here;
	for (unsigned i; (i = next_block(r, here)) != none;) {
		const range bytes = intersect(block_at(i).away, here);
		if (bytes.empty())
			continue;
		found = lend(i, bytes);
		found.pinned = block_at(i).is_pinned;
		found.changes = block_at(i).changes;
		if (block_at(i).is_spoilt)
			found.buffer = nullptr;
		return true;
	}
	return false;
}

void kept_blocks::has_come(const kept_part &p)
{
	const runtime_guard l(lock_);
	block &b = block_at(p.block);
	const rest_of_run rest = without(b.away, p.bytes);
	if (b.changes == p.changes && !b.filled.overlaps(p.bytes) && !rest.is_split())
		set_away(b, rest.first());
}

// Since forget() the bytes beside these may have come home, or all of the run: then these are forgotten now.
bool kept_blocks::find_inside(range r, kept_part &found)
{
	const guard l(lock_, lock_rank::leaf);
	range here;
	for (unsigned i; (i = next_block(r, here)) != none;) {
		if (!block_at(i).away.overlaps(here) || !without(block_at(i).away, here).is_split()) {
			drop(block_at(i), here);
			continue;
		}
		found = lend(i, here);
		found.pinned = block_at(i).is_pinned;
		return true;
	}
	return false;
}

away_run kept_blocks::run_of(unsigned i)
{
	const block &b = block_at(i);
	return {b.away, b.to_user, i, b.changes};
}

bool kept_blocks::find_run(range user, away_run &found)
{
	const guard l(lock_, lock_rank::leaf);
	for (unsigned i = 0; i < none; i++) {
		const block &b = block_at(i);
		if (!is_there(i) || b.away.empty() || !b.away.overlaps({user.begin - b.to_user, user.end - b.to_user}))
			continue;
		found = run_of(i);
		return true;
	}
	return false;
}

// All that is away there can come, and something is.
bool kept_blocks::can_come(const arena &a)
{
	bool any = false;
	for (const block &b : a.blocks) {
		if (!b.away.empty() && !b.may_come())
			return false;
		any |= !b.away.empty();
	}
	return any;
}

bool kept_blocks::find_run_to_go(away_run &found)
{
	const guard l(lock_, lock_rank::leaf);
	unsigned best = none;
	uint64_t least = 0;
	for (unsigned i = 0; i < none; i++) {
		const arena &a = arenas_[i / blocks_of_arena];
		if (!a.buffer || block_at(i).away.empty() || is_in_use(a) || !can_come(a))
			continue;
		if (best != none && bytes_in(a) >= least)
			continue;
		best = i;
		least = bytes_in(a);
	}
	if (best != none)
		found = run_of(best);
	return best != none;
}

bool kept_blocks::find_old_run(unsigned from, away_run &found)
{
	const guard l(lock_, lock_rank::leaf);
	for (unsigned i = from; i < none; i++) {
		const block &b = block_at(i);
		if (!is_there(i) || b.is_in_use() || !b.may_come() || b.used + most_age >= launch_)
			continue;
		found = run_of(i);
		return true;
	}
	return false;
}

bool kept_blocks::come_home(away_run &r)
{
	const guard l(lock_, lock_rank::leaf);
	block &b = block_at(r.block);
	if (!is_there(r.block) || !b.away.overlaps(r.bytes))
		return true;
	if (b.changes != r.changes) {
		r = run_of(r.block);
		return false;
	}
	set_away(b, {});
	return true;
}

void kept_blocks::give_up(const away_run &r)
{
	const guard l(lock_, lock_rank::leaf);
	block &b = block_at(r.block);
	if (is_there(r.block) && b.changes == r.changes)
		b.is_stuck = true;
}

uint64_t kept_blocks::bytes_away()
{
	if (is_all_home())
		return 0;
	const guard l(lock_, lock_rank::leaf);
	uint64_t n = 0;
	for (unsigned i = 0; i < none; i++)
		n += is_there(i) ? block_at(i).away.size() : 0;
	return n;
}

bool kept_blocks::may_bring()
{
	const guard l(lock_, lock_rank::leaf);
	return std::any_of(arenas_, arenas_ + most_arenas, [](const arena &a) { return a.buffer && can_come(a); });
}

} // namespace het::rt
