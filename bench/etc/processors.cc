// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/processors.h"

#include <algorithm>

namespace etc
{

processors::processors(const machine &m, event_queue &events, surroundings &around)
    : m_(m), events_(events), around_(around), all_(m.processors)
{
	for (processor &p : all_) {
		p.warps.resize(m.warps_of_processor);
		p.blocks.resize(m.blocks_of_processor);
	}
}

void processors::wake(unsigned number, cycle t)
{
	processor &p = all_[number];
	t = std::max(t, p.free);
	if (t >= p.woken)
		return;
	p.woken = t;
	events_.add(t, event::kind_t::processor, number);
}

void processors::wake_all(cycle t)
{
	for (unsigned p = 0; p < all_.size(); p++)
		wake(p, t);
}

void processors::throttle_by(const het::rt::throttle *who, grain g)
{
	who_ = who;
	grain_ = g;
}

unsigned processors::unit_of(unsigned number, unsigned slot) const
{
	return grain_ == grain::processors ? number : grain_ == grain::blocks ? all_[number].warps[slot].block : slot;
}

// Only the slots that are in use count: the others would be stopped in vain.
unsigned processors::units(grain g) const
{
	if (g == grain::processors)
		return unsigned(all_.size());
	unsigned most = 1;
	for (const processor &p : all_)
		for (unsigned slot = 0; slot < p.warps.size(); slot++)
			if (p.warps[slot].alive)
				most = std::max(most, 1 + (g == grain::blocks ? p.warps[slot].block : slot));
	return most;
}

bool processors::runs(unsigned number, unsigned slot) const
{
	if (!who_)
		return true;
	const unsigned unit = unit_of(number, slot);
	return unit >= who_->size() || who_->runs(unit);
}

bool processors::begin(unsigned number, const launch &l, uint32_t which, uint32_t slice, cycle t)
{
	processor &p = all_[number];
	if (who_ && grain_ == grain::processors && !who_->runs(number))
		return false;
	const part warps = l.blocks[which];
	const unsigned n = warps.end - warps.begin;
	const auto slot = std::find_if(p.blocks.begin(), p.blocks.end(), [](const block &b) { return !b.of; });
	// A block that is larger than a processor gets one for itself.
	if (slot == p.blocks.end() || (p.used_warps > 0 && p.used_warps + n > m_.warps_of_processor))
		return false;
	*slot = {&l, slice, n, 0};
	p.used_warps += n;
	if (p.warps.size() < n)
		p.warps.resize(n);
	unsigned free = 0;
	for (uint32_t w = warps.begin; w < warps.end; w++) {
		while (p.warps[free].alive)
			free++;
		warp &next = p.warps[free];
		next = {};
		next.alive = true;
		next.block = unsigned(slot - p.blocks.begin());
		next.at = l.warps[w].begin;
		next.end = l.warps[w].end;
		next.ready = t;
		next.age = ages_++;
		if (next.at == next.end)
			end(number, free, t);
	}
	wake(number, t);
	return true;
}

bool processors::is_ready(unsigned number, unsigned slot, cycle t) const
{
	const warp &w = all_[number].warps[slot];
	return w.alive && !w.at_barrier && w.faults == 0 && w.at != w.end && w.ready <= t && runs(number, slot);
}

std::optional<unsigned> processors::choose(unsigned number, cycle t) const
{
	const processor &p = all_[number];
	if (p.last < p.warps.size() && is_ready(number, p.last, t))
		return p.last;
	std::optional<unsigned> oldest;
	for (unsigned slot = 0; slot < p.warps.size(); slot++)
		if (is_ready(number, slot, t) && (!oldest || p.warps[slot].age < p.warps[*oldest].age))
			oldest = slot;
	return oldest;
}

void processors::issue(unsigned number, cycle t)
{
	processor &p = all_[number];
	if (p.woken != t)
		return; // it has been woken earlier since
	p.woken = never;
	while (const std::optional<unsigned> slot = choose(number, t)) {
		p.last = *slot;
		if (!do_item(number, *slot, t))
			return wake(number, p.free);
	}
	cycle next = never;
	for (unsigned slot = 0; slot < p.warps.size(); slot++)
		if (p.warps[slot].ready > t && is_ready(number, slot, p.warps[slot].ready))
			next = std::min(next, p.warps[slot].ready);
	if (next != never)
		wake(number, next);
}

// Returns false if the processor is busy from now on, as instructions come first.
bool processors::do_item(unsigned number, unsigned slot, cycle t)
{
	processor &p = all_[number];
	warp &w = p.warps[slot];
	const item &i = p.blocks[w.block].of->items[w.at];
	const cycle costs = i.gap + (i.kind != item::kind_t::use);
	if (!w.paid && costs > 0) {
		w.paid = true;
		p.free = w.ready = t + costs;
		return false;
	}
	w.paid = false;
	w.at++;
	if (i.touches())
		use_memory(number, slot, i, t);
	else if (i.kind == item::kind_t::barrier)
		meet(number, slot, t);
	else
		w.ready = std::max(t, w.loaded);
	if (w.at == w.end && w.faults == 0)
		end(number, slot, t);
	return true;
}

void processors::use_memory(unsigned number, unsigned slot, const item &i, cycle t)
{
	processor &p = all_[number];
	warp &w = p.warps[slot];
	const std::span<const uint32_t> lines = p.blocks[w.block].of->lines_of(i);
	around_.accessed(lines);
	p.port_free = std::max(p.port_free, t);
	for (const uint32_t line : lines) {
		if (const std::optional<cycle> there = around_.access(number, slot, i, line, p.port_free))
			w.loaded = std::max(w.loaded, *there);
		else
			w.faults++;
		p.port_free++;
	}
	// The next instruction comes when this one's lines have been taken.
	w.ready = std::max(t, p.port_free - 1);
}

void processors::meet(unsigned number, unsigned slot, cycle t)
{
	warp &w = all_[number].warps[slot];
	block &b = all_[number].blocks[w.block];
	w.at_barrier = true;
	b.waiting++;
	open_if_full(number, b, t);
}

void processors::open_if_full(unsigned number, block &b, cycle t)
{
	if (b.waiting == 0 || b.waiting < b.live)
		return;
	b.waiting = 0;
	processor &p = all_[number];
	for (unsigned slot = 0; slot < p.warps.size(); slot++) {
		warp &w = p.warps[slot];
		if (!w.alive || &p.blocks[w.block] != &b)
			continue;
		w.at_barrier = false;
		w.ready = std::max(w.ready, t);
	}
}

void processors::end(unsigned number, unsigned slot, cycle t)
{
	processor &p = all_[number];
	warp &w = p.warps[slot];
	block &b = p.blocks[w.block];
	w.alive = false;
	p.used_warps--;
	if (--b.live > 0)
		return open_if_full(number, b, t);
	const uint32_t slice = b.slice;
	b = {};
	around_.block_ended(number, slice, t);
}

void processors::served(unsigned number, unsigned slot, cycle t, cycle ready)
{
	warp &w = all_[number].warps[slot];
	w.loaded = std::max(w.loaded, ready);
	if (--w.faults > 0)
		return;
	w.ready = std::max(w.ready, t);
	if (w.at == w.end)
		end(number, slot, t);
	wake(number, t);
}

} // namespace etc
