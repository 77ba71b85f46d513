// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How blocks are stopped, saved and resumed.
#include "pep/gpu.h"

#include <algorithm>
#include <stdexcept>

namespace pep
{

uint64_t gpu::dirty_registers(place_of_block at) const
{
	uint64_t n = 0;
	for (unsigned i = 0; i < warps_of_block_; i++)
		n += all_[at.processor].warps[at.slot * warps_of_block_ + i].dirty.count();
	return n;
}

uint64_t gpu::dirty_bytes(place_of_block at, bool since) const
{
	const block &b = this->at(at);
	uint64_t n = 0;
	for (unsigned i = 0; i < warps_of_block_; i++) {
		const warp &w = all_[at.processor].warps[at.slot * warps_of_block_ + i];
		// Of a warp that has ended nothing is needed.
		n += w.alive ? (since ? w.dirty_since : w.dirty).count() : 0;
	}
	return n * 4 * lanes_of_warp + ((since ? b.wrote_shared_since : b.wrote_shared) ? k_->shared_bytes : 0);
}

void gpu::stop(place_of_block at)
{
	processor &p = all_[at.processor];
	block &b = p.blocks[at.slot];
	if (b.state != state::running)
		throw std::logic_error("a block that does not run is stopped");
	b.state = state::stopping;
	b.stopped = now_;
	cycle quiet = now_;
	for (unsigned i = 0; i < warps_of_block_; i++) {
		const unsigned n = at.slot * warps_of_block_ + i;
		p.when[n] = never;
		if (!p.warps[n].alive)
			continue;
		for (unsigned r = 0; r < k_->places; r++)
			quiet = std::max(quiet, p.ready[size_t{n} * k_->places + r]);
	}
	p.saves.push_back({at.slot, quiet + m_->cycles_of(m_->trap_us)});
	p.next_save = next_save(p);
	next_[at.processor] = std::min(next_[at.processor], p.next_save);
}

cycle gpu::next_save(const processor &p) const
{
	cycle next = never;
	for (const save &s : p.saves)
		next = std::min(next, p.blocks[s.slot].state == state::stopping ? s.begins
				      : s.lines                                 ? p.next_line
										: s.last);
	return next;
}

// So many lines are on their way at most, and a line needs some cycles to be sent.
void gpu::send_line(processor &p, cycle t)
{
	const auto first = std::find_if(p.saves.begin(), p.saves.end(), [](const save &s) { return s.lines; });
	if (first == p.saves.end() || p.next_line > t)
		return;
	first->lines--;
	first->last = std::max(first->last, memory_.write_through(t));
	p.lines.push_back(first->last);
	p.next_line = t + m_->save_line_cycles;
	if (p.lines.size() < m_->lines_in_flight)
		return;
	p.next_line = std::max(p.next_line, p.lines.front());
	p.lines.pop_front();
}

void gpu::serve(unsigned number, cycle t, director &d)
{
	processor &p = all_[number];
	for (save &s : p.saves) {
		block &b = p.blocks[s.slot];
		if (b.state != state::stopping || s.begins > t)
			continue;
		b.state = state::saving;
		s.lines = (d.stopped({number, s.slot}, t) + line_bytes - 1) / line_bytes;
		s.last = t;
		p.next_line = std::max(p.next_line, t);
	}
	send_line(p, t);
	for (size_t i = 0; i < p.saves.size();) {
		const save s = p.saves[i];
		if (p.blocks[s.slot].state != state::saving || s.lines || s.last > t) {
			i++;
			continue;
		}
		p.saves.erase(p.saves.begin() + long(i));
		d.saved({number, s.slot}, t);
		i = 0; // as that may have stopped others
	}
	p.next_save = next_save(p);
}

void gpu::resume(place_of_block at)
{
	processor &p = all_[at.processor];
	block &b = p.blocks[at.slot];
	b.state = state::running;
	b.stood += now_ - b.stopped;
	b.wrote_shared_since = false;
	for (unsigned i = 0; i < warps_of_block_; i++) {
		const unsigned n = at.slot * warps_of_block_ + i;
		p.warps[n].dirty_since.reset();
		set_when(p, n, now_ + 1);
		scheduler &s = p.schedulers[n % p.schedulers.size()];
		s.next = std::min(s.next, now_ + 1);
	}
	next_[at.processor] = std::min(next_[at.processor], now_ + 1);
}

void gpu::leave(place_of_block at)
{
	block &b = all_[at.processor].blocks[at.slot];
	b.stood += now_ - b.stopped;
	b.state = state::empty;
}

void gpu::flush(place_of_block at)
{
	processor &p = all_[at.processor];
	for (unsigned i = 0; i < warps_of_block_; i++)
		p.when[at.slot * warps_of_block_ + i] = never;
	p.blocks[at.slot].state = state::empty;
}

} // namespace pep
