// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/foresee.h"

#include "memory/asked.h"
#include "memory/body.h"
#include "memory/chunks.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/history.h"
#include "memory/lane.h"
#include "memory/send_ahead.h"
#include "memory/transfer.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/pool.h"
#include "os/probes.h"

#include <algorithm>

namespace het
{

namespace
{

bool can_be_foreseen(const array &a, const homeward &how)
{
	return a.context->foresight != foresight_kind::off && a.chunks && (!a.context->strict || how.behind);
}

// Null: nothing is to be foreseen, or there is no memory for that.
array_history *foresight_of(array &a, const homeward &how)
{
	if (!a.foreseen && can_be_foreseen(a, how) && is_worth_a_history(a, touched_since_end, touched_before))
		a.foreseen = open_history(a, a.context->catcher->features().tells_accesses);
	return a.foreseen;
}

// Nobody else is at work where this kernel has written; but its device may be reading there already, behind it.
bool is_last(const array &a, const usage &u)
{
	const bool readers_count = u.ends == ending::any;
	uint64_t mine = u.whole ? one_writer : 0;
	for (unsigned d = 0; d < a.context->ndevs; d++) {
		uint64_t others = a.links[d].open.load() - (d == u.device ? mine : 0);
		if (d == u.device && readers_count ? others != 0 : others >= one_writer)
			return false;
	}
	unsigned others = 0;
	for (const bracket *b = a.parts; b; b = b->next)
		others += b->part.overlaps(u.part) && (b->writes || (readers_count && b->device == u.device));
	return others == !u.whole;
}

// What one kernel has written of an array.
class foreseeing
{
      public:
	foreseeing(array &a, array_guard &g, unsigned device) : a_(a), g_(g), device_(device), f_(*a.foreseen) {}

	// As give_to_device(), at the kernel's end.
	int end(const usage &u, layout::span s, const homeward &how)
	{
		// All that is expected lies there.
		const layout::span hull = {f_.first_expected(), f_.last_expected()};
		read_soon_ = how.soon.read;
		if (how.behind && !u.promised) {
			int err = give_to_device(a_, s, device_);
			*how.behind = list(u, hull, how.soon.written);
			return err;
		}
		foreseen_chunks f = reserve(u, hull, how.soon.written);
		int err = give_others(s, f);
		if (!f.count)
			return err;
		if (how.behind && !err) {
			leave_with_device(f);
			*how.behind = f;
			how.behind->reserved = true;
			return 0;
		}
		return bring(f, err);
	}

	// Returns @err, or what has gone wrong since. The list of runs is no more.
	int bring(const foreseen_chunks &f, int err)
	{
		for (uint32_t done = 0; done < f.count;) {
			auto n = uint32_t(std::min<size_t>(f.count - done, runs_at_once));
			err = bring_batch({f.runs + done, n}, err);
			done += n;
		}
		pool().release(f.runs, f.count * sizeof(foreseen_run));
		return err;
	}

	// The copy has ended. Who sees a page may write there, and begin a kernel with it, before the next line runs
	// here: so the chunks take their step first.
	void show(const foreseen_run &run)
	{
		const layout::span s = {run.first, run.first + run.count};
		access before = a_.chunks[run.first].host;
		step st = next_step(a_.chunks[run.first].state(), run.how, device_, a_.context->rules);
		enter_all(a_, s, st.next);
		access to = is_mutant(mutant::unseen) ? access::write : st.next.host;
		// Some pages may have been writable for a moment, and the host has written there.
		copyset unwritten = to == access::write ? host_copy : host_copy | device_copy(device_);
		if (before != st.next.host && !admit(run, before, to))
			enter_all(a_, s, {unwritten, before});
		release_chunks(a_, run.first, run.count);
	}

      private:
	using runs = std::span<const foreseen_run>;

	bool is_expected(uint32_t c) const { return f_.expects(c) != expectation::nothing; }
	// What can't be shown read-only later is shown writable, when it has come: the host becomes its owner, as at a
	// touch. From the next end on its pages are there to be protected.
	bool can_not_be_read_only(uint32_t c) const
	{
		return !a_.context->rules.share && a_.chunks[c].host == access::none;
	}
	// The host's first write there may be waited for, to send what it is done with; and what a kernel is about to
	// read stays valid on the device.
	bool will_be_written(uint32_t c) const
	{
		bool is_left = is_write_watched(a_, c) || bytes_soon::has_any(read_soon_, a_.place.bytes_of(c));
		bool stays_writable = f_.expects(c) == expectation::write && !is_left;
		return stays_writable || (is_expected(c) && can_not_be_read_only(c));
	}
	event event_of(uint32_t c) const
	{
		return will_be_written(c) && !is_mutant(mutant::unseen) ? event::foresee_write : event::foresee_read;
	}

	bool may_be_foreseen(uint32_t c) const
	{
		const chunk &ch = a_.chunks[c];
		return !(ch.flags & chunk_not_foreseen) &&
		       (ch.writer == 1 + device_ || ch.state().device_valid(device_));
	}

	// In strict mode the host may touch bytes of the chunk that are not the kernel's, and others may be at work
	// there.
	bool is_free(uint32_t c, const usage &u, std::span<const range> except) const
	{
		range bytes = a_.place.bytes_of(c);
		return (!a_.context->strict || u.part.covers(bytes)) && !bytes_soon::has_any(except, bytes);
	}

	// Marks of writes from before are cleared. What the host has written unseen during the kernel is lost.
	bool prepare(uint32_t c)
	{
		pages p = pages_of(a_, c, 1);
		trap &catcher = *a_.context->catcher;
		return a_.chunks[c].host != access::read || !catcher.was_written(p) ||
		       catcher.protect(p, access::read) >= 0;
	}

	// A write that the host makes from now on to what will be read is seen: by a touch that waits, or by the page
	// source's counter.
	void protect(layout::span s)
	{
		if (!lower_access(a_, s, access::read))
			return;
		take_from_foresight(s);
	}

	void take_from_foresight(layout::span s)
	{
		for (uint32_t c = s.first; c < s.last; c++)
			f_.was_taken(c);
	}

	// The chunks that come home are this caller's until they have: those of the runs, and no others.
	foreseen_chunks reserve(const usage &u, layout::span s, std::span<const range> except)
	{
		for (uint32_t c = s.first; c < s.last; c++) {
			bool comes = is_expected(c) && may_be_foreseen(c) && is_free(c, u, except) &&
				     (will_be_written(c) || prepare(c));
			if (!comes)
				f_.was_taken(c);
		}
		for (uint32_t c = s.first; c < s.last; c++) {
			uint32_t first = c;
			while (c < s.last && is_expected(c) && !will_be_written(c))
				c++;
			if (c > first)
				protect({first, c});
		}
		foreseen_chunks f = collect(s);
		for (const foreseen_run &run : f.all()) {
			for (uint32_t c = run.first; c < run.first + run.count; c++)
				a_.chunks[c].flags |= chunk_busy;
		}
		return f;
	}

	// What is to come home behind the kernel, if nobody else wants it first.
	foreseen_chunks list(const usage &u, layout::span s, std::span<const range> except)
	{
		for (uint32_t c = s.first; c < s.last; c++) {
			if (!may_be_foreseen(c) || !is_free(c, u, except))
				f_.was_taken(c);
		}
		foreseen_chunks f = collect(s);
		f.life = a_.life;
		f.queued_ends = a_.queued_ends;
		f.end = f_.ends();
		return f;
	}

	// Calls f(run) for neighbours that take the same step from the same access.
	template <typename F> void for_runs(layout::span s, F f) const
	{
		for (uint32_t c = s.first; c < s.last;) {
			if (!is_expected(c)) {
				c++;
				continue;
			}
			foreseen_run run = {c, 0, event_of(c)};
			access host = a_.chunks[c].host;
			while (c < s.last && is_expected(c) && event_of(c) == run.how && a_.chunks[c].host == host)
				c++;
			run.count = c - run.first;
			f(run);
		}
	}

	// Without memory for it nothing is foreseen.
	foreseen_chunks collect(layout::span s)
	{
		uint32_t count = 0;
		for_runs(s, [&](const foreseen_run &) { count++; });
		auto *all = count ? pool_array<foreseen_run>(count) : nullptr;
		if (!all) {
			take_from_foresight(s);
			return {};
		}
		uint32_t i = 0;
		for_runs(s, [&](const foreseen_run &run) { all[i++] = run; });
		return {&a_, all, count, device_};
	}

	int give_others(layout::span s, const foreseen_chunks &f)
	{
		int err = 0;
		uint32_t at = s.first;
		auto give_until = [&](uint32_t end) {
			int e = end > at ? give_to_device(a_, {at, end}, device_) : 0;
			err = e ? e : err;
		};
		for (const foreseen_run &run : f.all()) {
			give_until(run.first);
			at = run.first + run.count;
		}
		give_until(s.last);
		return err;
	}

	// The kernel is over before its bytes are home. What pages the host has stay as they are.
	void leave_with_device(const foreseen_chunks &f)
	{
		for (const foreseen_run &run : f.all()) {
			for (uint32_t c = run.first; c < run.first + run.count; c++) {
				chunk &ch = a_.chunks[c];
				enter(a_, ch, {device_copy(device_), ch.host});
				ch.flags |= chunk_coming | (run.how == event::foresee_read ? chunk_kept : 0);
				a_.coming++;
			}
		}
	}

	int bring_batch(runs batch, int err)
	{
		size_t bytes = 0;
		for (const foreseen_run &run : batch)
			bytes += a_.place.bytes_of(run.first, run.count).size();
		bool shown = is_mutant(mutant::early);
		if (shown)
			show_all(batch);
		uint64_t started = now_ns();
		g_.unlock();
		delay_point();
		int failed = copy_foreseen(a_, batch, device_);
		delay_point();
		g_.lock();
		if (shown)
			return err;
		if (failed) {
			for (const foreseen_run &run : batch)
				err = take_away(run, err);
			return err;
		}
		a_.context->stats.foreseen_bytes.add(bytes);
		f_.copied(bytes, now_ns() - started);
		show_all(batch);
		return err;
	}

	void show_all(runs batch)
	{
		for (const foreseen_run &run : batch)
			show(run);
	}

	// As the chunks are busy, nobody else shows or takes their pages. False: they allow no more than before, and
	// what is not mapped is caught. Where that is not sure some are as they were to be.
	bool admit(const foreseen_run &run, access before, access to)
	{
		range r = a_.place.chunk_range(run.first, run.count);
		trap &catcher = *a_.context->catcher;
		bool long_work = catcher.features().by_page;
		HET_PROBE3(resolve, r.begin, r.size(), int(to));
		if (long_work)
			g_.unlock();
		bool opens = before == access::read && to == access::write;
		pages p = pages_of(a_, r);
		bool shown = (opens ? catcher.open_for_writes(p) : catcher.admit(p, to)) >= 0;
		shown = shown || catcher.protect(p, before) < 0;
		delay_point();
		if (long_work)
			g_.lock();
		return shown;
	}

	int take_away(const foreseen_run &run, int err)
	{
		layout::span s = {run.first, run.first + run.count};
		int e = give_to_device(a_, s, device_);
		take_from_foresight(s);
		release_chunks(a_, run.first, run.count);
		return e ? e : err;
	}

	array &a_;
	array_guard &g_;
	const unsigned device_;
	array_history &f_;
	std::span<const range> read_soon_ = {};
};

} // namespace

int give_or_foresee(array &a, array_guard &g, const usage &u, const homeward &how)
{
	layout::span s = a.place.chunks_of(u.part);
	// Of steps that are queued behind each other the host waits for the last: what it touches after that says
	// nothing of the ends before.
	auto covers_all = [&](range r) { return r.covers(u.part); };
	bool is_overwritten = std::any_of(how.soon.written.begin(), how.soon.written.end(), covers_all);
	a.queued_ends += is_overwritten;
	array_history *f = is_overwritten ? nullptr : foresight_of(a, how);
	bool may = how.may && (!a.context->strict || how.behind);
	if (!f)
		return give_to_device(a, s, u.device);
	// Before the brackets are looked at: see begin_fast().
	a.fast.store(0);
	hear_answers(a, *f, s);
	foresight::verdict v = learn(a, *f, u, a.unseen_ends.exchange(0), may && is_last(a, u));
	a.ends_to_pass.store(f->ends_until_next());
	size_t bytes = size_t{1} << a.place.chunk_shift;
	a.context->stats.foreseen_used_bytes.add(v.used * bytes);
	a.context->stats.foreseen_in_vain_bytes.add(v.in_vain * bytes);
	if (!f->any_expected())
		return give_to_device(a, s, u.device);
	ask_in_place(a, *f);
	int err = foreseeing(a, g, u.device).end(u, s, how);
	a.visitors += how.behind && how.behind->reserved;
	return err;
}

void bring_foreseen(const foreseen_chunks &f)
{
	array &a = *f.in;
	caller_guard g(a);
	foreseeing(a, g, f.device).bring(f, 0);
	if (!--a.visitors)
		announce_change(a);
}

int copy_foreseen(array &a, std::span<const foreseen_run> runs, unsigned device)
{
	chunk_run copied[runs_at_once];
	for (size_t i = 0; i < runs.size(); i++)
		copied[i] = run_home(runs[i].first, runs[i].count, uint8_t(1 + device));
	lane_lease lane(*a.context->lanes);
	watched_call watched(lane, a.place.user.ptr());
	return copy_to_host(a, {copied, runs.size()}, lane);
}

void show_foreseen(array &a, array_guard &g, const foreseen_run &run, unsigned device)
{
	foreseeing(a, g, device).show(run);
}

void note_foreseen_copy(array &a, size_t bytes, uint64_t ns)
{
	a.context->stats.foreseen_bytes.add(bytes);
	a.foreseen->copied(bytes, ns);
}

bool is_still_expected(const array &a, uint32_t c)
{
	return a.foreseen->expects(c) != expectation::nothing;
}

void note_not_foreseen(array &a, const foreseen_chunks &f, uint32_t c)
{
	if (a.foreseen->ends() == f.end)
		a.foreseen->was_taken(c);
}

bool passes_unseen(array &a)
{
	uint32_t left = a.ends_to_pass.load(std::memory_order_relaxed);
	if (!left)
		return false;
	if (left != UINT32_MAX)
		a.ends_to_pass.store(left - 1, std::memory_order_relaxed);
	if (a.context->foresight != foresight_kind::off)
		a.unseen_ends.fetch_add(1, std::memory_order_relaxed);
	return true;
}

} // namespace het
