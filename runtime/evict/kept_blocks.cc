// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/kept_blocks.h"

#include "evict/runs.h"
#include "os/inject.h"

#include <algorithm>
#include <bit>
#include <climits>

namespace het::rt
{

namespace
{

// Copies of a block are fast from some megabytes on, and an arena should be a small part of the budget.
constexpr unsigned least_block_bits = 12, most_block_bits = 24;
constexpr uint64_t blocks_of_budget = 64;

} // namespace

void kept_blocks::next_launch()
{
	const guard l(lock_, lock_rank::leaf);
	launch_++;
}

// --- blocks --------------------------------------------------------------------

range kept_blocks::first_block_of(range r) const
{
	return {r.begin, std::min<uintptr_t>(r.end, ((r.begin >> bits_) + 1) << bits_)};
}

unsigned kept_blocks::find_block(uintptr_t number)
{
	for (unsigned i = 0; i < none; i++) {
		if (is_there(i) && !block_at(i).is_free() && block_at(i).number == number)
			return i;
	}
	return none;
}

unsigned kept_blocks::next_block(range &r, range &here)
{
	while (narenas_ && !r.empty()) {
		here = first_block_of(r);
		r.begin = here.end;
		if (const unsigned i = find_block(here.begin >> bits_); i != none)
			return i;
	}
	return none;
}

kept_part kept_blocks::part_of(unsigned i, range bytes) const
{
	const arena &a = arenas_[i / blocks_of_arena];
	const uint64_t first = uint64_t{i % blocks_of_arena} << bits_;
	return {bytes, a.buffer, first + (bytes.begin - (bytes.begin >> bits_ << bits_)), i};
}

kept_part kept_blocks::lend(unsigned i, range bytes)
{
	block_at(i).readers++;
	return part_of(i, bytes);
}

// What is away stays, and the caller does not cut that.
void kept_blocks::cut(block &b, range r)
{
	const rest_of_run rest = without(b.kept, r);
	b.kept = b.away.empty() ? rest.larger() : rest.before.covers(b.away) ? rest.before : rest.behind;
}

void kept_blocks::set_away(block &b, range r)
{
	if (b.away.empty() != r.empty())
		naway_.fetch_add(r.empty() ? -1u : 1u);
	b.away = r;
	b.changes = ++changes_;
	b.is_stuck = false;
	b.is_spoilt = b.is_spoilt && !r.empty();
}

// The caller has said so of bytes that are not away on both sides.
void kept_blocks::drop(block &b, range r)
{
	if (b.filled.overlaps(r))
		b.filled = {};
	if (b.away.overlaps(r)) {
		const rest_of_run rest = without(b.away, r);
		if (rest.is_split())
			return;
		set_away(b, rest.first());
	}
	cut(b, r);
}

// These bytes are not kept, but for what is away.
void kept_blocks::refuse(block &b, range r)
{
	if (b.filled.overlaps(r))
		b.filled = {};
	if (!b.away.overlaps(r))
		cut(b, r);
}

// --- what is kept --------------------------------------------------------------

bool kept_blocks::find(range r, kept_part &found)
{
	const guard l(lock_, lock_rank::leaf);
	range here;
	for (unsigned i; (i = next_block(r, here)) != none;) {
		block &b = block_at(i);
		const range kept = without(intersect(b.kept, here), b.filled).first();
		if (kept.empty())
			continue;
		b.used = launch_;
		found = lend(i, kept);
		found.only_copy = b.away.overlaps(kept);
		if (found.only_copy && b.is_spoilt)
			found.buffer = nullptr;
		return true;
	}
	return false;
}

void kept_blocks::let_go(const kept_part &p)
{
	const guard l(lock_, lock_rank::leaf);
	block_at(p.block).readers--;
}

// Returns a block that has nothing, or whose bytes have not been used for long and are at home, or none.
unsigned kept_blocks::find_room()
{
	unsigned oldest = none;
	for (unsigned i = 0; i < none; i++) {
		if (!is_there(i) || block_at(i).is_in_use() || !block_at(i).away.empty())
			continue;
		if (block_at(i).is_free())
			return i;
		if (block_at(i).used + most_age < launch_ &&
		    (oldest == none || block_at(i).used < block_at(oldest).used))
			oldest = i;
	}
	return oldest;
}

// A block has one run, so what is no part of it has to be the longer one to take its place. What is away stays, and
// what is to be like the host's is no part of that.
bool kept_blocks::fits(const block &b, range r) const
{
	if (b.is_filling || b.away.overlaps(r))
		return false;
	return b.kept.empty() || are_one_run(b.kept, r) || (b.away.empty() && r.size() > b.kept.size());
}

bool kept_blocks::begin_fill(range r, kept_part &to)
{
	const guard l(lock_, lock_rank::leaf);
	const range bytes = narenas_ ? first_block_of(r) : r;
	to = {.bytes = bytes};
	if (!narenas_ || r.empty())
		return false;
	const uintptr_t number = bytes.begin >> bits_;
	unsigned i = find_block(number);
	if (i != none && !fits(block_at(i), bytes)) {
		refuse(block_at(i), bytes);
		return false;
	}
	if (i == none) {
		i = find_room();
		if (i == none)
			return false;
		block_at(i) = {.number = number};
	}
	block &b = block_at(i);
	if (!are_one_run(b.kept, bytes))
		b.kept = {};
	b.filled = bytes;
	b.is_filling = true;
	b.used = launch_;
	to = part_of(i, bytes);
	return true;
}

void kept_blocks::has_filled()
{
	fills_.fetch_add(1);
	futex_wake(&fills_, INT_MAX);
}

// What has come to be away meanwhile is not cut.
void kept_blocks::end_fill(const kept_part &to, bool ok)
{
	{
		const guard l(lock_, lock_rank::leaf);
		block &b = block_at(to.block);
		if (!ok || b.filled != to.bytes)
			refuse(b, to.bytes);
		else if (b.kept.empty())
			b.kept = to.bytes;
		else if (are_one_run(b.kept, to.bytes))
			b.kept = hull_of(b.kept, to.bytes);
		else if (b.away.empty() && to.bytes.size() > b.kept.size())
			b.kept = to.bytes;
		b.filled = {};
		b.is_filling = false;
	}
	has_filled();
}

void kept_blocks::forget(range r)
{
	const guard l(lock_, lock_rank::leaf);
	for (unsigned a = 0; a < most_arenas && narenas_; a++) {
		if (!arenas_[a].buffer)
			continue;
		for (block &b : arenas_[a].blocks)
			drop(b, r);
	}
}

// --- arenas --------------------------------------------------------------------

uint64_t kept_blocks::arena_bytes(uint64_t budget)
{
	const guard l(lock_, lock_rank::leaf);
	if (narenas_ == most_arenas)
		return 0;
	if (!narenas_) {
		const uint64_t block = std::bit_floor(std::max<uint64_t>(budget / blocks_of_budget, 1));
		bits_ = std::clamp(unsigned(std::countr_zero(block)), least_block_bits, most_block_bits);
	}
	return uint64_t{blocks_of_arena} << bits_;
}

bool kept_blocks::add_arena(void *buffer, uint64_t nbytes)
{
	const guard l(lock_, lock_rank::leaf);
	if (narenas_ == most_arenas || nbytes != uint64_t{blocks_of_arena} << bits_)
		return false;
	arena *a = std::find_if(arenas_, arenas_ + most_arenas, [](const arena &a) { return !a.buffer; });
	*a = {.buffer = buffer};
	narenas_++;
	return true;
}

bool kept_blocks::is_in_use(const arena &a)
{
	return std::any_of(a.blocks, a.blocks + blocks_of_arena, [](const block &b) { return b.is_in_use(); }) &&
	       !is_mutant(mutant::takes_used);
}

bool kept_blocks::has_away(const arena &a)
{
	return std::any_of(a.blocks, a.blocks + blocks_of_arena, [](const block &b) { return !b.away.empty(); }) &&
	       !is_mutant(mutant::drops_written);
}

uint64_t kept_blocks::bytes_in(const arena &a)
{
	uint64_t n = 0;
	for (const block &b : a.blocks)
		n += b.kept.size();
	return n;
}

void *kept_blocks::take_arena(uint64_t *nbytes)
{
	const guard l(lock_, lock_rank::leaf);
	arena *best = nullptr;
	uint64_t least = 0;
	for (arena &a : arenas_) {
		if (!a.buffer || is_in_use(a) || has_away(a))
			continue;
		const uint64_t bytes = bytes_in(a);
		if (best && bytes >= least)
			continue;
		best = &a;
		least = bytes;
	}
	if (!best)
		return nullptr;
	void *const buffer = best->buffer;
	*best = {};
	narenas_--;
	*nbytes = uint64_t{blocks_of_arena} << bits_;
	return buffer;
}

} // namespace het::rt
