// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/tile_moves.h"

#include <algorithm>
#include <new>

namespace het::rt
{

std::span<const range> tile_moves::of(unsigned window, size_t slice, size_t kind) const
{
	const size_t number = (window * nslices_ + slice) * kinds + kind;
	const size_t first = number ? ends_[number - 1] : 0;
	return {runs_.get() + first, ends_[number] - first};
}

bool tile_moves::note(std::span<const range> runs)
{
	if (nruns_ + runs.size() > room_) {
		const size_t room = 2 * (nruns_ + runs.size());
		std::unique_ptr<range[]> more(new (std::nothrow) range[room]);
		if (!more)
			return false;
		std::copy_n(runs_.get(), nruns_, more.get());
		runs_ = std::move(more);
		room_ = room;
	}
	std::copy(runs.begin(), runs.end(), runs_.get() + nruns_);
	nruns_ += runs.size();
	ends_[nends_++] = nruns_;
	return true;
}

// What is there already, or has been written by a launch before, is not fetched.
bool tile_moves::read(range r)
{
	some_.clear();
	bool ok = some_.add(r);
	for (range there : valid_.runs())
		ok = ok && some_.cut(there);
	for (range missing : some_.runs())
		ok = ok && fetched_.add(missing);
	return ok && valid_.add(r);
}

bool tile_moves::write(range r)
{
	return valid_.add(r) && dirty_.add(r);
}

// A launch may read what it overwrites itself, so its reads come first.
bool tile_moves::look_at(const slice_plan &plan, std::span<const mixed_launch> all, unsigned window, size_t slice)
{
	size_t first_use = 0;
	bool ok = true;
	for (const mixed_launch &l : all) {
		const row_span rows = rows_of(l, plan.slice(slice));
		for (bool writes : {false, true}) {
			for (size_t i = 0; i < l.uses.size() && rows.count && ok; i++) {
				const row_use &u = l.uses[i];
				if (plan.window_of(first_use + i) != window || !(writes ? u.writes : u.reads))
					continue;
				const range r = used_by(u, rows);
				ok = writes ? write(r) : read(r);
			}
		}
		first_use += l.uses.size();
	}
	return ok;
}

// Nothing moves between slices.
bool tile_moves::follow_what_stays(const slice_plan &plan, std::span<const mixed_launch> all, unsigned window)
{
	bool ok = true;
	for (size_t s = 0; s < nslices_ && ok; s++)
		ok = look_at(plan, all, window, s);
	for (size_t s = 0; s < nslices_ && ok; s++) {
		const bool is_last = s + 1 == nslices_;
		ok = note({}) && note(s ? std::span<const range>() : fetched_.runs()) &&
		     note(is_last ? dirty_.runs() : std::span<const range>());
	}
	return ok;
}

bool tile_moves::follow(const slice_plan &plan, std::span<const mixed_launch> all, unsigned window)
{
	bool ok = true;
	for (size_t s = 0; s < nslices_ && ok; s++) {
		fetched_.clear();
		valid_.keep(plan.bytes_of(window, s));
		dirty_.keep(plan.bytes_of(window, s));
		ok = note(valid_.runs()) && look_at(plan, all, window, s) && note(fetched_.runs()) &&
		     some_.copy(dirty_);
		if (s + 1 < nslices_)
			ok = ok && some_.cut(plan.bytes_of(window, s + 1));
		ok = ok && note(some_.runs());
	}
	return ok;
}

bool tile_moves::find(const slice_plan &plan, std::span<const mixed_launch> all)
{
	nslices_ = plan.nslices();
	nends_ = nruns_ = 0;
	ends_.reset(new (std::nothrow) size_t[nslices_ * plan.windows().size() * kinds]);
	bool ok = ends_ != nullptr;
	for (unsigned w = 0; w < plan.windows().size() && ok; w++) {
		for (range_set *s : {&valid_, &dirty_, &fetched_})
			s->clear();
		ok = plan.windows()[w].stays ? follow_what_stays(plan, all, w) : follow(plan, all, w);
	}
	return ok;
}

} // namespace het::rt
