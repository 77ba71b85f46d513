// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lanes that parted meet again here.
#include "simt/runner.h"

namespace het::ptx::simt
{

join *runner::new_join(warp &w, const join &j)
{
	if (w.free_joins.empty())
		w.free_joins.push_back(w.joins.emplace_back(std::make_unique<join>()).get());
	join *out = w.free_joins.back();
	w.free_joins.pop_back();
	*out = j;
	return out;
}

void runner::arrive(warp &w, join *j, lanes m)
{
	j->arrived |= m;
	settle(w, j);
}

// If all that are still expected have come, they go on together.
void runner::settle(warp &w, join *j)
{
	if (j->arrived != j->expected)
		return;
	if (j->expected)
		w.ready.push_back({j->pc, j->arrived, j->in, j->outer, fragment::ready, 0});
	j->expected = j->arrived = 0;
	w.free_joins.push_back(j);
}

// Tells all joins from @first outwards that the lanes @m will not come, or only those of one frame, if that is given.
void runner::forget(warp &w, join *first, lanes m, const frame *within)
{
	for (join *j = first; j && (!within || j->in == within);) {
		join *outer = j->outer;
		j->expected &= ~m;
		settle(w, j);
		j = outer;
	}
}

// Lets lanes go on by themselves that wait at joins, since no lane of the warp can run: others may wait, at a barrier,
// for what these do next, or for their end. Lockstep is only an order in which lanes run; none may starve for it.
bool runner::let_go(warp &w)
{
	bool any = false;
	for (auto &j : w.joins) {
		if (!j->arrived)
			continue;
		w.ready.push_back({j->pc, j->arrived, j->in, j->outer, fragment::ready, 0});
		j->expected &= ~j->arrived;
		j->arrived = 0;
		any = true;
	}
	return any;
}

bool runner::let_go(block &b)
{
	bool any = false;
	for (warp &w : b.warps)
		any = let_go(w) || any;
	return any;
}

// Returns from a function. The lanes of a kernel end.
bool runner::leave(warp &w, fragment &f, lanes m)
{
	frame *fr = f.in, *caller = fr->caller;
	if (!caller)
		return end_lanes(w, f, m);
	const uop &u = caller->function->ops[fr->call_op];
	const call_site &site = p_.sites()[u.target];
	for (uint32_t i = 0; i < site.results && i < fr->function->results.size(); i++)
		copy_argument(fr->function->results[i], fr, p_.arguments()[site.first_result + i], caller, m);
	uint32_t back = fr->call_op + 1;
	if (o_.independent) {
		w.ready.push_back({back, m, caller, nullptr, fragment::ready, 0});
	} else {
		join *j = f.meets;
		while (j->in == fr)
			j = j->outer;
		forget(w, f.meets, m, fr);
		arrive(w, j, m);
	}
	fr->alive &= ~m;
	if (!fr->alive)
		release(w, fr);
	f.mask &= ~m;
	f.pc++;
	return f.mask != 0;
}

bool runner::end_lanes(warp &w, fragment &f, lanes m)
{
	w.live &= ~m;
	forget(w, f.meets, m, nullptr);
	for (frame *fr = f.in; fr;) {
		frame *caller = fr->caller;
		fr->alive &= ~m;
		if (!fr->alive)
			release(w, fr);
		fr = caller;
	}
	f.mask &= ~m;
	f.pc++;
	recheck(w);
	return f.mask != 0;
}

} // namespace het::ptx::simt
