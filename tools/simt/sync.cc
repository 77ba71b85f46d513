// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Executes barriers of blocks, and operations that wait for other lanes of the warp.
#include "simt/runner.h"

#include <algorithm>

namespace het::ptx::simt
{

bool runner::barrier(warp &w, fragment &f, const uop &u, lanes m)
{
	block &b = *w.of;
	unsigned first = unsigned(std::countr_zero(m));
	uint64_t number = uint32_t(c_.at(u.a)[first]);
	if (number >= barriers_in_block) {
		stop(u, *f.in, w, first, "there is no barrier number " + std::to_string(number));
		return false;
	}
	if (lanes others = f.mask & ~m)
		part(w, f, others, f.pc + 1, f.pc + 1);
	barrier_state &s = b.barriers[number];
	if (!s.used)
		s.arrived.assign(b.warps.size(), 0);
	s.used = true;
	s.expected = u.b.valid() ? uint32_t(c_.at(u.b)[first]) : 0;
	s.arrived[w.index] |= m;
	if (u.c.valid()) {
		lanes yes = c_.predicate(u.c, u.c_negated) & m;
		s.yes += unsigned(std::popcount(yes));
		s.no += unsigned(std::popcount(m & ~yes));
	}
	bool waits = u.mode != 1;
	if (waits) {
		f.state = fragment::at_barrier;
		f.barrier = uint32_t(number);
		w.waiting.push_back(f);
	} else {
		f.pc++;
	}
	try_barrier(b, unsigned(number));
	return !waits;
}

// Lanes that ended, or never were, count with the rest of their warp.
bool runner::barrier_full(const block &b, const barrier_state &s) const
{
	uint32_t count = 0;
	bool all = true;
	for (const warp &w : b.warps) {
		lanes there = s.arrived[w.index];
		bool whole = (w.live & ~there) == 0;
		all = all && whole;
		count += whole && there ? warp_size : unsigned(std::popcount(there));
	}
	return s.expected ? count >= s.expected : all;
}

void runner::try_barrier(block &b, unsigned number)
{
	if (b.barriers[number].used && barrier_full(b, b.barriers[number]))
		open_barrier(b, number);
}

// "bar" and ".aligned" belong to whole warps, and to one place.
void runner::check_aligned(const warp &w, unsigned number)
{
	const fragment *first = nullptr;
	for (const fragment &f : w.waiting) {
		const uop &u = f.in->function->ops[f.pc];
		if (f.state != fragment::at_barrier || f.barrier != number || !u.flag)
			continue;
		unsigned lane = unsigned(std::countr_zero(f.mask));
		lanes missing = w.live & ~w.of->barriers[number].arrived[w.index];
		if (missing)
			return find(finding::kind_t::barrier, u, *f.in, w, lane,
				    std::to_string(std::popcount(missing)) +
					    " lanes of the warp have not come to this barrier");
		if (first && (first->pc != f.pc || first->in->function != f.in->function))
			return find(finding::kind_t::barrier, u, *f.in, w, lane,
				    "other lanes of the warp have come to this barrier at another place");
		first = &f;
	}
}

void runner::open_barrier(block &b, unsigned number)
{
	barrier_state &s = b.barriers[number];
	b.epoch++;
	for (const warp &w : b.warps)
		if (o_.check_barriers)
			check_aligned(w, number);
	for (warp &w : b.warps) {
		for (size_t i = 0; i < w.waiting.size();) {
			fragment f = w.waiting[i];
			if (f.state != fragment::at_barrier || f.barrier != number) {
				i++;
				continue;
			}
			w.waiting.erase(w.waiting.begin() + long(i));
			const uop &u = f.in->function->ops[f.pc];
			uint64_t *d = u.d.valid() ? &f.in->registers[size_t{u.d.index()} * warp_size] : nullptr;
			bool truth = u.mode == 3 ? s.no == 0 : s.yes != 0;
			if (d && u.mode > 2)
				*d = (*d & ~uint64_t{f.mask}) | (truth ? f.mask : 0);
			for (lanes left = d && u.mode == 2 ? f.mask : 0; left; left &= left - 1)
				d[std::countr_zero(left)] = s.yes;
			if (d && o_.check_defined)
				f.in->defined[u.d.index()] |= f.mask;
			f.state = fragment::ready;
			f.pc++;
			w.ready.push_back(f);
		}
	}
	s = {};
}

// Returns what a warp function's operand for its mask holds in each lane.
const uint64_t *runner::masks_of(const warp &w, const fragment &f) const
{
	ref r = p_.refs()[f.in->function->ops[f.pc].target];
	if (r.is_register())
		return &f.in->registers[size_t{r.index()} * warp_size];
	bool special = r.place >> 30 == uint32_t(place::specials);
	return special ? &w.special_values[size_t{r.index()} * warp_size] : c_.at(r);
}

// Runs once all lanes of the mask that have not ended are here. Lanes with other masks belong to another group.
bool runner::warp_sync(warp &w, fragment &f, const uop &u, lanes m)
{
	unsigned first = unsigned(std::countr_zero(m));
	const uint64_t *masks = masks_of(w, f);
	lanes members = lanes(masks[first]), other_groups = 0;
	for (lanes left = m; left; left &= left - 1)
		if (lanes(masks[std::countr_zero(left)]) != members)
			other_groups |= left & -left;
	if (other_groups) {
		part(w, f, other_groups, f.pc, f.pc + 1);
		m &= ~other_groups;
	}
	if (o_.check_barriers && (m & ~members))
		find(finding::kind_t::warp, u, *f.in, w, unsigned(std::countr_zero(m & ~members)),
		     "executed by a lane that its mask does not name");
	if ((members & w.live & ~m) == 0) {
		if (watched_)
			compute_tracked(u, f, m);
		else
			u.run(c_, u, m);
		w.epoch += (w.live & ~m) == 0;
		f.pc++;
		return true;
	}
	if (lanes others = f.mask & ~m)
		part(w, f, others, f.pc + 1, f.pc + 1);
	f.state = fragment::at_warp_sync;
	w.waiting.push_back(f);
	fragment like = f;
	try_warp_sync(w, like);
	return false;
}

// Looks at the fragments that wait where @like does with the same mask, or at any bar.warp.sync if it is one.
bool runner::try_warp_sync(warp &w, const fragment &like)
{
	const uop &u = like.in->function->ops[like.pc];
	auto mask_of = [&](const fragment &f) { return lanes(masks_of(w, f)[std::countr_zero(f.mask)]); };
	lanes members = mask_of(like);
	auto waits_too = [&](const fragment &f) {
		if (f.state != fragment::at_warp_sync || mask_of(f) != members)
			return false;
		return (f.in == like.in && f.pc == like.pc) || (u.flag && f.in->function->ops[f.pc].flag);
	};
	lanes there = 0;
	for (const fragment &f : w.waiting)
		if (waits_too(f))
			there |= f.mask;
	fragment together = like;
	together.mask = there;
	if (!enter(w, together))
		return false;
	if (members & w.live & ~there)
		return false;
	if (watched_)
		compute_tracked(u, together, there);
	else
		u.run(c_, u, there);
	w.epoch += (w.live & ~there) == 0;
	auto rest =
		std::partition(w.waiting.begin(), w.waiting.end(), [&](const fragment &f) { return !waits_too(f); });
	std::vector<fragment> released(rest, w.waiting.end());
	w.waiting.erase(rest, w.waiting.end());
	for (fragment f : released) {
		f.state = fragment::ready;
		f.pc++;
		w.ready.push_back(f);
	}
	return true;
}

// Looks again after lanes have ended: others may have waited for them only.
void runner::recheck(warp &w)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < w.waiting.size() && !again; i++) {
			fragment f = w.waiting[i];
			again = f.state == fragment::at_warp_sync && try_warp_sync(w, f);
		}
	}
	for (unsigned n = 0; n < barriers_in_block; n++)
		try_barrier(*w.of, n);
}

} // namespace het::ptx::simt
