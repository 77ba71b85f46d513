// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/gpu.h"

#include <algorithm>
#include <stdexcept>

namespace pep
{

gpu::gpu(const machine &m, const kernel_trace &k, unsigned blocks)
    : m_(&m), k_(&k), memory_(m), all_(m.processors), next_(m.processors, 0), warps_of_block_(k.warps())
{
	if (!blocks)
		throw std::invalid_argument(k.name + ": a processor has no room for a block");
	for (processor &p : all_) {
		p.warps.resize(size_t{blocks} * warps_of_block_);
		p.when.assign(p.warps.size(), never);
		p.next_unit.assign(p.warps.size(), 0);
		p.ready.assign(p.warps.size() * k.places, 0);
		p.blocks.resize(blocks);
		p.schedulers.resize(m.schedulers);
		for (scheduler &s : p.schedulers)
			s.last = unsigned(p.warps.size()); // so that the first one is the first
	}
	begin_all();
}

void gpu::begin_all()
{
	for (unsigned s = 0; s < slots(); s++)
		for (unsigned p = 0; p < processors(); p++)
			begin_block({p, s}, now_);
}

cycle gpu::latency_of(unit u) const
{
	switch (u) {
	case unit::special:
	case unit::subroutine:
		return m_->special_cycles;
	case unit::shared:
		return m_->shared_cycles;
	default:
		return m_->arithmetic_cycles;
	}
}

unsigned gpu::slots_of(unit u) const
{
	switch (u) {
	case unit::product:
		return m_->product_slots;
	case unit::special:
		return m_->special_slots;
	case unit::wide:
		return m_->wide_slots;
	case unit::subroutine:
		return m_->subroutine_slots;
	default:
		return 1;
	}
}

// --- blocks and warps ---------------------------------------------------------------------------

void gpu::begin_block(place_of_block at, cycle t)
{
	processor &p = all_[at.processor];
	block &b = p.blocks[at.slot];
	b = {};
	b.number = begun_++;
	b.trace = &k_->blocks[b.number % k_->blocks.size()];
	b.state = state::running;
	b.begun = t;
	for (unsigned i = 0; i < warps_of_block_; i++) {
		const unsigned number = at.slot * warps_of_block_ + i;
		const std::vector<step> &steps = b.trace->warps[i];
		warp &w = p.warps[number] = {};
		w.at = steps.data();
		w.end = w.at + steps.size();
		w.alive = !steps.empty();
		b.live += w.alive;
		std::fill_n(p.ready.begin() + long(number * k_->places), k_->places, t);
		set_when(p, number, t);
		scheduler &s = p.schedulers[number % p.schedulers.size()];
		s.next = std::min(s.next, t);
	}
	if (!b.live)
		throw std::invalid_argument(k_->name + ": a block does nothing");
	next_[at.processor] = std::min(next_[at.processor], t);
}

// Sets when its next instruction can be issued.
void gpu::set_when(processor &p, unsigned number, cycle least)
{
	const warp &w = p.warps[number];
	if (!w.alive || w.at_barrier || w.at == w.end) {
		p.when[number] = never;
		return;
	}
	const instruction &i = k_->text[w.at->instruction];
	const cycle *const ready = &p.ready[size_t{number} * k_->places];
	for (const uint16_t r : i.reads)
		least = std::max(least, ready[r]);
	for (const uint16_t r : i.writes)
		least = std::max(least, ready[r]);
	p.when[number] = least;
	p.next_unit[number] = uint8_t(i.unit);
}

void gpu::open_barrier(place_of_block at, cycle t)
{
	processor &p = all_[at.processor];
	block &b = p.blocks[at.slot];
	if (b.waiting < b.live || !b.live)
		return;
	b.waiting = 0;
	for (unsigned n = at.slot * warps_of_block_; n < (at.slot + 1) * warps_of_block_; n++) {
		if (!p.warps[n].at_barrier)
			continue;
		p.warps[n].at_barrier = false;
		if (b.state != state::running)
			continue;
		set_when(p, n, t + 1);
		scheduler &s = p.schedulers[n % p.schedulers.size()];
		s.next = std::min(s.next, t + 1);
	}
}

void gpu::end_warp(place_of_block at, warp &w, cycle t, director &d)
{
	block &b = all_[at.processor].blocks[at.slot];
	w.alive = false;
	if (--b.live) {
		open_barrier(at, t);
		return;
	}
	// It may have been stopped at its last instruction.
	std::erase_if(all_[at.processor].saves, [&](const save &s) { return s.slot == at.slot; });
	b.state = state::empty;
	if (d.ended(at, t))
		begin_block(at, t + 1);
}

// --- issue --------------------------------------------------------------------------------------

// A block's own lines are those of no other block of the model, even of the same trace.
cycle gpu::use_memory(processor &p, const block &b, const step &s, const instruction &i, cycle t)
{
	cycle done = t;
	for (unsigned n = 0; n < s.count; n++) {
		uint64_t line = b.trace->lines[s.first + n];
		if (!(line & line_of_several))
			line |= (b.number + 1) << 32;
		p.port = std::max(p.port, t) + 1;
		done = std::max(done, memory_.use(line, i.stores, p.port));
	}
	return done;
}

void gpu::issue(unsigned number, unsigned which, unsigned n, cycle t, director &d)
{
	processor &p = all_[number];
	scheduler &s = p.schedulers[which];
	warp &w = p.warps[n];
	const place_of_block at = {number, n / warps_of_block_};
	block &b = p.blocks[at.slot];
	const step &done = *w.at++;
	const instruction &i = k_->text[done.instruction];
	s.free[unsigned(i.unit)] = t + slots_of(i.unit);
	s.next = t + 1 + (i.branches ? m_->branch_slots : 0);
	w.dirty |= i.changes;
	w.dirty_since |= i.changes;
	b.wrote_shared |= i.stores_shared;
	b.wrote_shared_since |= i.stores_shared;
	b.steps++;
	steps_++;
	const cycle ready = i.unit == unit::memory ? use_memory(p, b, done, i, t) : t + latency_of(i.unit);
	for (const uint16_t r : i.writes)
		p.ready[size_t{n} * k_->places + r] = ready;
	if (i.unit == unit::barrier) {
		w.at_barrier = true;
		b.waiting++;
	}
	if (b.steps == m_->look_instructions)
		d.look(at, t);
	if (w.at == w.end) {
		b.waiting -= w.at_barrier;
		w.at_barrier = false;
		set_when(p, n, never);
		end_warp(at, w, t, d);
		return;
	}
	if (b.state == state::running)
		set_when(p, n, s.next);
	if (w.at_barrier)
		open_barrier(at, t);
}

// The warp behind the one that was last is the first.
void gpu::schedule(unsigned number, unsigned which, cycle t, director &d)
{
	processor &p = all_[number];
	scheduler &s = p.schedulers[which];
	const unsigned step = unsigned(p.schedulers.size()), count = unsigned(p.warps.size());
	cycle soonest = never;
	unsigned n = s.last;
	for (unsigned left = (count + step - 1 - which) / step; left; left--) {
		n = n + step < count ? n + step : which;
		if (p.when[n] == never)
			continue;
		const cycle can = std::max(p.when[n], s.free[p.next_unit[n]]);
		if (can <= t) {
			s.last = n;
			issue(number, which, n, t, d);
			return;
		}
		soonest = std::min(soonest, can);
	}
	s.next = soonest;
}

// --- time ---------------------------------------------------------------------------------------

void gpu::note_next(unsigned number)
{
	const processor &p = all_[number];
	cycle next = p.next_save;
	for (const scheduler &s : p.schedulers)
		next = std::min(next, s.next);
	next_[number] = next;
}

void gpu::run(cycle until, director &d)
{
	for (;;) {
		const cycle t = *std::min_element(next_.begin(), next_.end());
		if (t >= until)
			break;
		now_ = t;
		for (unsigned n = 0; n < all_.size(); n++) {
			if (next_[n] > t)
				continue;
			processor &p = all_[n];
			if (p.next_save <= t)
				serve(n, t, d);
			for (unsigned s = 0; s < p.schedulers.size(); s++)
				if (p.schedulers[s].next <= t)
					schedule(n, s, t, d);
			note_next(n);
		}
	}
	now_ = until == never ? now_ : until;
}

} // namespace pep
