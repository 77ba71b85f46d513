// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The inner loop executes operations.
#include "simt/runner.h"

namespace het::ptx::simt
{

// Points the context to what the fragment's operations use.
bool runner::enter(warp &w, const fragment &f)
{
	frame &fr = *f.in;
	if (!grow_local(w, fr))
		return false;
	c_.base[uint32_t(place::registers)] = fr.registers.data();
	c_.base[uint32_t(place::specials)] = w.special_values.data();
	block &b = *w.of;
	c_.shared = {b.shared.data(), o_.check_defined ? b.shared_defined.data() : nullptr, 0,
		     uint32_t(b.shared.size())};
	c_.local = {w.local.data(), o_.check_defined ? w.local_defined.data() : nullptr, w.local_stride,
		    w.local_stride};
	uint32_t bytes = fr.function->param_bytes;
	c_.param = {fr.params.data(), o_.check_defined ? fr.params_defined.data() : nullptr, bytes, bytes};
	frame &root = *w.root;
	c_.kernel_param = {root.params.data(), nullptr, root.function->param_bytes, root.function->param_bytes};
	return true;
}

void runner::execute(warp &w, fragment f, uint64_t turn)
{
	const uop *ops = nullptr;
	op_counts *tallies = nullptr;
	buffer_cache *caches = nullptr;
	const frame *in = nullptr;
	while (turn-- && left_) {
		if (f.in != in) {
			in = f.in;
			if (!enter(w, f))
				return;
			ops = in->function->ops.data();
			tallies = ops_[in->number].data();
			caches = caches_[in->number].data();
		}
		if (f.meets && f.meets->pc == f.pc && f.meets->in == in)
			return arrive(w, f.meets, f.mask);
		const uop &u = ops[f.pc];
		lanes m = f.mask;
		if (u.guard.valid())
			m &= c_.predicate(u.guard, u.guard_negated);
		left_--;
		c_.clock++;
		tallies[f.pc].warps++;
		tallies[f.pc].threads += unsigned(std::popcount(m));
		if (u.action == action::compute) {
			c_.cache = &caches[f.pc];
			if (watched_)
				compute_tracked(u, f, m);
			else if (m)
				u.run(c_, u, m);
			if (c_.failed())
				return stop(u, *in, w, c_.failed_lane_, c_.failure_);
			f.pc++;
		} else if (!control(w, f, u, m)) {
			return;
		}
	}
	w.ready.insert(w.ready.begin(), f);
}

void runner::trace(const uop &u, const frame &f, lanes m) const
{
	uint64_t addresses[warp_size] = {};
	if (u.touches)
		addresses_of(c_, u, m, addresses);
	const warp &w = *c_.current;
	o_.trace({f.function, u.statement, w.of->number, w.index, m, u.touches ? addresses : nullptr});
}

// Computes with the checks and counts that were asked for.
void runner::compute_tracked(const uop &u, fragment &f, lanes m)
{
	frame &fr = *f.in;
	auto &w = *c_.current;
	auto refs = p_.refs().data() + u.first_use;
	lanes defined = all_lanes;
	if (o_.check_defined) {
		if (u.guard.is_register() && (f.mask & ~fr.defined[u.guard.index()]))
			find(finding::kind_t::undefined_value, u, fr, w,
			     unsigned(std::countr_zero(f.mask & ~fr.defined[u.guard.index()])),
			     "depends on a predicate that was never written");
		for (uint32_t i = 0; i < u.uses; i++)
			if (refs[i].is_register() && !(u.touches && refs[i].place == u.a.place))
				defined &= fr.defined[refs[i].index()];
		lanes unknown = u.touches && u.a.is_register() ? m & ~fr.defined[u.a.index()] : 0;
		if (unknown)
			find(finding::kind_t::undefined_value, u, fr, w, unsigned(std::countr_zero(unknown)),
			     "uses an address that was never written");
		c_.value_defined = defined;
	}
	if (!m)
		return;
	if (o_.trace)
		trace(u, fr, m);
	if (u.touches && (o_.statistics || o_.check_races))
		if (auto r = observer_.access(c_, w, u, fr.number, f.pc, m))
			find(finding::kind_t::race, u, fr, w, r->lane, r->what);
	u.run(c_, u, m);
	if (!o_.check_defined)
		return;
	defined = u.touches & touches_read && u.touches & touches_write ? all_lanes : c_.value_defined;
	for (uint32_t i = u.uses; i < u.uses + u.defs; i++) {
		lanes &d = fr.defined[refs[i].index()];
		d = (d & ~m) | (defined & m);
	}
}

// Does everything that is not simply computed. Returns false if the fragment does not go on here.
bool runner::control(warp &w, fragment &f, const uop &u, lanes m)
{
	if (o_.check_defined && u.guard.is_register())
		if (lanes unknown = f.mask & ~f.in->defined[u.guard.index()])
			find(finding::kind_t::undefined_value, u, *f.in, w, unsigned(std::countr_zero(unknown)),
			     "depends on a predicate that was never written");
	if (u.action == action::branch)
		return branch(w, f, u, m);
	if (!m) {
		f.pc++;
		return true;
	}
	switch (u.action) {
	case action::indexed_branch:
		return indexed_branch(w, f, u, m);
	case action::call:
		return call(w, f, u, m);
	case action::ret:
		return leave(w, f, m);
	case action::exit:
		return end_lanes(w, f, m);
	case action::barrier:
		if (o_.trace && o_.trace_barriers)
			trace(u, *f.in, m);
		return barrier(w, f, u, m);
	case action::warp_sync:
		return warp_sync(w, f, u, m);
	case action::local_stack:
		return local_stack(w, f, u, m);
	case action::trap:
		stop(u, *f.in, w, unsigned(std::countr_zero(m)), "trap");
		return false;
	default:
		stop(u, *f.in, w, unsigned(std::countr_zero(m)), "the interpreter does not know " + p_.reason(u));
		return false;
	}
}

// Parts a fragment: the lanes @there go to @pc, the others stay; all meet at @meet. The fragment goes on with those
// that stay.
void runner::part(warp &w, fragment &f, lanes there, uint32_t pc, uint32_t meet)
{
	bool meets_already = meet == no_index || (f.meets && f.meets->in == f.in && f.meets->pc == meet);
	if (!o_.independent && !meets_already)
		f.meets = new_join(w, {meet, f.in, f.meets, f.mask, 0});
	fragment other = f;
	other.mask = there;
	other.pc = pc;
	f.mask &= ~there;
	w.ready.push_back(other);
}

bool runner::branch(warp &w, fragment &f, const uop &u, lanes taken)
{
	if (taken == f.mask) {
		f.pc = u.target;
		return true;
	}
	if (taken) {
		ops_[f.in->number][f.pc].divergent++;
		if (u.flag && o_.check_barriers)
			find(finding::kind_t::warp, u, *f.in, w, unsigned(std::countr_zero(taken)),
			     "parts a warp, but says that it does not");
		part(w, f, taken, u.target, u.reconverge);
	}
	f.pc++;
	return true;
}

// Serves one target at a time: the other lanes come here again.
bool runner::indexed_branch(warp &w, fragment &f, const uop &u, lanes m)
{
	const auto &table = p_.tables()[u.target];
	const uint64_t *index = c_.at(u.a);
	unsigned first = unsigned(std::countr_zero(m));
	uint32_t chosen = uint32_t(index[first]);
	if (chosen >= table.size()) {
		stop(u, *f.in, w, first, "there is no target number " + std::to_string(chosen));
		return false;
	}
	lanes same = 0;
	for (lanes left = m; left; left &= left - 1)
		if (uint32_t(index[std::countr_zero(left)]) == chosen)
			same |= left & -left;
	if (lanes others = f.mask & ~m)
		part(w, f, others, f.pc + 1, u.reconverge);
	if (same != m) {
		ops_[f.in->number][f.pc].divergent++;
		part(w, f, m & ~same, f.pc, u.reconverge);
	}
	f.pc = table[chosen];
	return true;
}

} // namespace het::ptx::simt
