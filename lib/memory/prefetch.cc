// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/prefetch.h"

#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/context.h"
#include "memory/foresee.h"
#include "memory/show.h"
#include "memory/transfer.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/pool.h"

namespace het
{

namespace
{

// What is left of the list stays the device's. Who unlinks the array frees what is known of it without the lock.
void note_not_foreseen(const foreseen_chunks &f)
{
	array &a = *f.in;
	caller_guard g(a);
	if (a.life != f.life || !a.live || !a.foreseen)
		return;
	delay_point();
	for (const foreseen_run &run : f.all().subspan(f.next)) {
		for (uint32_t c = run.first; c < run.first + run.count; c++)
			het::note_not_foreseen(a, f, c);
	}
}

// What one copy brings.
struct piece {
	foreseen_run runs[runs_at_once];
	size_t count = 0, bytes = 0;

	std::span<const foreseen_run> all() const { return {runs, count}; }
};

class prefetching
{
      public:
	prefetching(array &a, array_guard &g, foreseen_chunks &f) : a_(a), g_(g), f_(f) {}

	// The next chunks of the list that may come, which are busy then. A kernel that begins on the fast path from
	// now on looks again, and the brackets of those that have begun there are seen here.
	void take(piece &p, const bytes_soon &soon)
	{
		leave_fast(a_);
		while (f_.next < f_.count && p.count < runs_at_once && p.bytes < piece_bytes) {
			foreseen_run &rest = f_.runs[f_.next];
			if (may_come(rest.first, soon.written))
				add(p, rest.first, step_of(rest, soon.read));
			else
				note_not_foreseen(a_, f_, rest.first);
			rest.first++;
			f_.next += !--rest.count;
		}
	}

	// It is false if the device can't be read.
	bool bring(const piece &p)
	{
		bool shown = is_mutant(mutant::early);
		if (shown)
			show_all(p);
		uint64_t started = now_ns();
		g_.unlock();
		delay_point();
		int failed = copy_foreseen(a_, p.all(), f_.device);
		delay_point();
		g_.lock();
		if (shown)
			return true;
		if (failed) {
			let_go(p);
			return false;
		}
		uint64_t took = now_ns() - started;
		show_all(p);
		note_foreseen_copy(a_, p.bytes, took);
		return true;
	}

      private:
	// It is as its kernel has left it.
	bool may_come(uint32_t c, std::span<const range> except) const
	{
		const chunk &ch = a_.chunks[c];
		return is_still_expected(a_, c) && ch.state() == chunk_state{device_copy(f_.device), access::none} &&
		       !ch.flags && !being_written(a_, c) && !bytes_soon::has_any(except, a_.place.bytes_of(c));
	}

	event step_of(const foreseen_run &r, std::span<const range> read) const
	{
		bool stays = a_.context->rules.share && bytes_soon::has_any(read, a_.place.bytes_of(r.first));
		return stays ? event::foresee_read : r.how;
	}

	void add(piece &p, uint32_t c, event how)
	{
		foreseen_run *last = p.count ? &p.runs[p.count - 1] : nullptr;
		if (last && last->first + last->count == c && last->how == how)
			last->count++;
		else
			p.runs[p.count++] = {c, 1, how};
		p.bytes += a_.place.bytes_of(c).size();
		a_.chunks[c].flags |= chunk_busy | chunk_coming | (how == event::foresee_read ? chunk_kept : 0);
		a_.coming++;
	}

	void show_all(const piece &p)
	{
		for (const foreseen_run &run : p.all())
			show_foreseen(a_, g_, run, f_.device);
	}

	void let_go(const piece &p)
	{
		for (const foreseen_run &run : p.all()) {
			for (uint32_t c = run.first; c < run.first + run.count; c++)
				note_not_foreseen(a_, f_, c);
			release_chunks(a_, run.first, run.count);
		}
	}

	array &a_;
	array_guard &g_;
	foreseen_chunks &f_;
};

// Returns whether there may be more.
bool prefetch_in(array &a, array_guard &g, foreseen_chunks &f, const bytes_soon &soon)
{
	if (a.life != f.life)
		return false;
	visit v(a, g);
	// While it was held it may have been unlinked, and be another by now. What was expected before steps that are
	// queued behind each other says nothing of what these leave.
	if (!v || a.life != f.life || a.queued_ends != f.queued_ends || a.pending)
		return false;
	prefetching job(a, g, f);
	piece p;
	job.take(p, soon);
	return (!p.count || job.bring(p)) && f.next < f.count;
}

} // namespace

void prefetch(foreseen_chunks *f, const bytes_soon &soon)
{
	bool has_more;
	{
		caller_guard g(*f->in);
		has_more = prefetch_in(*f->in, g, *f, soon);
	}
	if (!has_more)
		drop_foreseen(f);
}

void drop_foreseen(foreseen_chunks *f)
{
	if (f->in) {
		note_not_foreseen(*f);
		pool().release(f->runs, f->count * sizeof(foreseen_run));
	}
	*f = {};
}

} // namespace het
