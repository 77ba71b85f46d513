// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/kept_blocks.h"

#include <algorithm>
#include <bit>

namespace het::rt
{

namespace
{

constexpr unsigned none = kept_blocks::most_arenas * kept_blocks::blocks_of_arena;

// Copies of a block are fast from some megabytes on, and an arena should be a small part of the budget.
constexpr unsigned least_block_bits = 12, most_block_bits = 24;
constexpr uint64_t blocks_of_budget = 64;

// What is left of a run in two pieces is the larger one.
range without(range run, range r)
{
	if (r.empty() || !run.overlaps(r))
		return run;
	const range before = {run.begin, std::max(run.begin, r.begin)}, behind = {std::min(run.end, r.end), run.end};
	return before.size() < behind.size() ? behind : before;
}

bool are_one_run(range a, range b)
{
	return a.begin <= b.end && b.begin <= a.end;
}

} // namespace

void kept_blocks::next_launch()
{
	const runtime_guard l(lock_);
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

kept_part kept_blocks::part_of(unsigned i, range bytes) const
{
	const arena &a = arenas_[i / blocks_of_arena];
	const uint64_t first = uint64_t{i % blocks_of_arena} << bits_;
	return {bytes, a.buffer, first + (bytes.begin - (bytes.begin >> bits_ << bits_)), i};
}

void kept_blocks::cut(block &b, range r)
{
	b.kept = without(b.kept, r);
}

// --- what is kept --------------------------------------------------------------

bool kept_blocks::find(range r, kept_part &found)
{
	const runtime_guard l(lock_);
	while (narenas_ && !r.empty()) {
		const range here = first_block_of(r);
		const unsigned i = find_block(r.begin >> bits_);
		r.begin = here.end;
		if (i == none)
			continue;
		block &b = block_at(i);
		const range kept = without(intersect(b.kept, here), b.filled);
		if (kept.empty())
			continue;
		b.readers++;
		b.used = launch_;
		found = part_of(i, kept);
		return true;
	}
	return false;
}

void kept_blocks::let_go(const kept_part &p)
{
	const runtime_guard l(lock_);
	block_at(p.block).readers--;
}

// Returns a block that has nothing, or whose bytes have not been used for long, or none.
unsigned kept_blocks::find_room()
{
	unsigned oldest = none;
	for (unsigned i = 0; i < none; i++) {
		if (!is_there(i) || block_at(i).is_in_use())
			continue;
		if (block_at(i).is_free())
			return i;
		if (block_at(i).used + most_age < launch_ &&
		    (oldest == none || block_at(i).used < block_at(oldest).used))
			oldest = i;
	}
	return oldest;
}

// A block has one run, so what is no part of it has to be the longer one to take its place.
bool kept_blocks::fits(const block &b, range r) const
{
	return !b.is_filling && (b.kept.empty() || are_one_run(b.kept, r) || r.size() > b.kept.size());
}

bool kept_blocks::begin_fill(range r, kept_part &to)
{
	const runtime_guard l(lock_);
	const range bytes = narenas_ ? first_block_of(r) : r;
	to = {.bytes = bytes};
	if (!narenas_ || r.empty())
		return false;
	const uintptr_t number = bytes.begin >> bits_;
	unsigned i = find_block(number);
	if (i != none && !fits(block_at(i), bytes)) {
		cut(block_at(i), bytes);
		if (block_at(i).filled.overlaps(bytes))
			block_at(i).filled = {};
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

void kept_blocks::end_fill(const kept_part &to, bool ok)
{
	const runtime_guard l(lock_);
	block &b = block_at(to.block);
	b.is_filling = false;
	if (!ok || b.filled != to.bytes)
		cut(b, to.bytes);
	else if (b.kept.empty())
		b.kept = to.bytes;
	else if (are_one_run(b.kept, to.bytes))
		b.kept = {std::min(b.kept.begin, to.bytes.begin), std::max(b.kept.end, to.bytes.end)};
	else if (to.bytes.size() > b.kept.size())
		b.kept = to.bytes;
	b.filled = {};
}

void kept_blocks::forget(range r)
{
	const runtime_guard l(lock_);
	for (unsigned a = 0; a < most_arenas && narenas_; a++) {
		if (!arenas_[a].buffer)
			continue;
		for (block &b : arenas_[a].blocks) {
			cut(b, r);
			if (b.filled.overlaps(r))
				b.filled = {};
		}
	}
}

// --- arenas --------------------------------------------------------------------

uint64_t kept_blocks::arena_bytes(uint64_t budget)
{
	const runtime_guard l(lock_);
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
	const runtime_guard l(lock_);
	if (narenas_ == most_arenas || nbytes != uint64_t{blocks_of_arena} << bits_)
		return false;
	arena *a = std::find_if(arenas_, arenas_ + most_arenas, [](const arena &a) { return !a.buffer; });
	*a = {.buffer = buffer};
	narenas_++;
	return true;
}

void *kept_blocks::take_arena(uint64_t *nbytes)
{
	const runtime_guard l(lock_);
	arena *best = nullptr;
	uint64_t least = 0;
	for (arena &a : arenas_) {
		if (!a.buffer ||
		    std::any_of(a.blocks, a.blocks + blocks_of_arena, [](const block &b) { return b.is_in_use(); }))
			continue;
		uint64_t bytes = 0;
		for (const block &b : a.blocks)
			bytes += b.kept.size();
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
