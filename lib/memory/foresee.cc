// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/foresee.h"

#include "core/foresight.h"
#include "memory/body.h"
#include "memory/chunks.h"
#include "memory/failure.h"
#include "memory/lane.h"
#include "memory/transfer.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/pool.h"
#include "os/probes.h"

#include <algorithm>
#include <new>

namespace het
{

// One piece of memory: the histories of its chunks follow.
struct array_foresight : foresight {
	chunk_history chunks[];
};

namespace
{

size_t size_for(uint32_t chunks)
{
	return sizeof(array_foresight) + chunks * sizeof(chunk_history);
}

// Of array::touched.
constexpr uint8_t touched_since_end = 1, touched_before = 2;

// A program may have many arrays that the host touches once, or never: nothing is remembered of them.
bool is_worth_a_history(array &a)
{
	if (!(a.touched & touched_since_end))
		return false;
	bool often = (a.touched & touched_before) || !learns(a.context->foresight);
	a.touched = touched_before;
	return often;
}

bool can_be_foreseen(const array &a)
{
	return a.context->foresight != foresight_kind::off && a.chunks && !a.managed;
}

// Null: nothing is to be foreseen, or there is no memory for that.
array_foresight *foresight_of(array &a)
{
	if (a.foreseen || !can_be_foreseen(a) || !is_worth_a_history(a))
		return a.foreseen;
	void *memory = pool().allocate(size_for(a.place.chunks));
	if (!memory)
		return nullptr;
	a.foreseen = new (memory) array_foresight;
	auto bytes = uint32_t(size_t{1} << a.place.chunk_shift);
	a.foreseen->open(a.foreseen->chunks, a.place.chunks, uint32_t(bytes / a.place.page), bytes,
			 a.context->foresight);
	return a.foreseen;
}

// The same bytes on the same device. It is a hash: who shares it is taken for the same kernel, at no harm but a guess.
uint64_t name_of(const usage &u)
{
	uint64_t part = u.whole ? 0 : u.part.begin * 31 + u.part.end;
	return (part + u.device + 1) * 0x9e3779b97f4a7c15u;
}

// Nobody else is at work where this kernel has written.
bool is_last(const array &a, const usage &u)
{
	uint64_t mine = u.whole ? one_writer : 0;
	for (unsigned d = 0; d < a.context->ndevs; d++) {
		uint64_t open = a.links[d].open.load();
		if (d == u.device ? open != mine : open >= one_writer)
			return false;
	}
	unsigned others = 0;
	for (const bracket *b = a.parts; b; b = b->next)
		others += b->part.overlaps(u.part) && (b->writes || b->device == u.device);
	return others == !u.whole;
}

// One end of a kernel.
class foreseeing
{
      public:
	foreseeing(array &a, array_guard &g, layout::span s, unsigned device)
	    : a_(a), g_(g), span_(s), device_(device),
	      f_(*a.foreseen), expected_{f_.first_expected(), f_.last_expected()}
	{
	}

	// As give_to_device().
	int run()
	{
		reserve();
		int err = give_others();
		for (uint32_t c = expected_.first; c < expected_.last;)
			c = bring(c, &err);
		return err;
	}

      private:
	struct batch {
		chunk_run runs[runs_at_once];
		event events[runs_at_once];
		size_t count = 0, bytes = 0;
	};

	bool is_expected(uint32_t c) const { return f_.expects(c) != expectation::nothing; }
	// What can't be shown read-only later is shown writable, when it has come: the host becomes its owner, as at a touch.
	// From the next end on its pages are there to be protected.
	bool can_not_be_read_only(uint32_t c) const
	{
		return !a_.context->rules.share && a_.chunks[c].host == access::none;
	}
	bool will_be_written(uint32_t c) const
	{
		return f_.expects(c) == expectation::write ||
		       (f_.expects(c) == expectation::read && can_not_be_read_only(c));
	}
	event event_of(uint32_t c) const
	{
		return will_be_written(c) && !mutant_written_as_read() ? event::foresee_write : event::foresee_read;
	}
	step step_of(uint32_t c) const
	{
		return next_step(a_.chunks[c].state(), event_of(c), device_, a_.context->rules);
	}

	bool may_be_foreseen(uint32_t c) const
	{
		const chunk &ch = a_.chunks[c];
		constexpr uint8_t left_alone = chunk_busy | chunk_failed | chunk_joint | chunk_fragmented;
		return !(ch.flags & left_alone) && (ch.writer == 1 + device_ || ch.state().device_valid(device_));
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
		for (uint32_t c = s.first; c < s.last; c++)
			f_.was_taken(c);
	}

	// The chunks that come home are this thread's until they have.
	void reserve()
	{
		for (uint32_t c = expected_.first; c < expected_.last; c++) {
			bool comes = is_expected(c) && may_be_foreseen(c) && (will_be_written(c) || prepare(c));
			if (!comes)
				f_.was_taken(c);
		}
		for (uint32_t c = expected_.first; c < expected_.last; c++) {
			uint32_t first = c;
			while (c < expected_.last && is_expected(c) && !will_be_written(c))
				c++;
			if (c > first)
				protect({first, c});
		}
		for (uint32_t c = expected_.first; c < expected_.last; c++)
			a_.chunks[c].flags |= is_expected(c) ? chunk_busy : 0;
	}

	int give_others()
	{
		int err = 0;
		for (uint32_t c = span_.first; c < span_.last; c++) {
			uint32_t first = c;
			while (c < span_.last && !is_expected(c))
				c++;
			int e = c > first ? give_to_device(a_, {first, c}, device_) : 0;
			if (e)
				err = e;
		}
		return err;
	}

	// Chunks from @c on: neighbours that take the same step from the same access are a run. Returns where it ends.
	uint32_t collect(uint32_t c, batch &b) const
	{
		for (; c < expected_.last; c++) {
			if (!is_expected(c))
				continue;
			chunk_run *last = b.count ? &b.runs[b.count - 1] : nullptr;
			bool same = last && last->first + last->count == c && b.events[b.count - 1] == event_of(c) &&
				    a_.chunks[last->first].host == a_.chunks[c].host;
			if (!same && b.count == runs_at_once)
				break;
			if (same) {
				last->count++;
			} else {
				b.events[b.count] = event_of(c);
				b.runs[b.count++] = {c, 1, uint8_t(1 + device_), false};
			}
			b.bytes += a_.place.bytes_of(c).size();
		}
		return c;
	}

	// Returns where the next batch begins.
	uint32_t bring(uint32_t c, int *err)
	{
		batch b;
		uint32_t next = collect(c, b);
		if (!b.count)
			return next;
		std::span<const chunk_run> runs(b.runs, b.count);
		bool shown = mutant_shown_early();
		if (shown)
			show_all(b);
		uint64_t started = now_ns();
		g_.unlock();
		delay_point();
		int failed;
		{
			lane_lease lane(*a_.context->lanes);
			watched_call watched(lane, a_.place.user.ptr());
			failed = copy_to_host(a_, runs, lane);
		}
		delay_point();
		g_.lock();
		if (shown)
			return next;
		if (failed) {
			for (const chunk_run &run : runs)
				*err = take_away(run, *err);
			return next;
		}
		a_.context->stats.foreseen_bytes.add(b.bytes);
		f_.copied(b.bytes, now_ns() - started);
		show_all(b);
		return next;
	}

	void show_all(const batch &b)
	{
		for (size_t i = 0; i < b.count; i++)
			show(b.runs[i]);
	}

	// The copy has ended.
	void show(const chunk_run &run)
	{
		const chunk &first = a_.chunks[run.first];
		step st = step_of(run.first);
		bool complete = mutant_written_as_read() || first.host == st.next.host || admit(run, st.next.host);
		chunk_state next = complete ? st.next : chunk_state{host_copy | device_copy(device_), first.host};
		enter_all(a_, {run.first, run.first + run.count}, next);
		release_chunks(a_, run.first, run.count);
	}

	// As the chunks are busy, nobody else shows or takes their pages. False: they are caught, as before.
	bool admit(const chunk_run &run, access to)
	{
		range r = a_.place.chunk_range(run.first, run.count);
		trap &catcher = *a_.context->catcher;
		bool long_work = catcher.features().by_page;
		access before = a_.chunks[run.first].host;
		HET_PROBE3(resolve, r.begin, r.size(), int(to));
		if (long_work)
			g_.unlock();
		bool shown = catcher.admit(pages_of(a_, r), to) >= 0;
		if (!shown)
			catcher.protect(pages_of(a_, r), before);
		if (long_work)
			g_.lock();
		return shown;
	}

	int take_away(const chunk_run &run, int err)
	{
		int e = give_to_device(a_, {run.first, run.first + run.count}, device_);
		for (uint32_t c = run.first; c < run.first + run.count; c++)
			f_.was_taken(c);
		release_chunks(a_, run.first, run.count);
		return e ? e : err;
	}

	array &a_;
	array_guard &g_;
	const layout::span span_;
	const unsigned device_;
	array_foresight &f_;
	const layout::span expected_; // a hull
};

void measure_touches(const statistics &s, foresight &f)
{
	if (uint64_t n = s.touches.get())
		f.touch_takes(s.touch_ns.get() / n);
}

} // namespace

void note_touch(array &a, layout::span s, bool write)
{
	a.touched |= touched_since_end;
	if (a.foreseen)
		a.foreseen->touched(s.first, s.last - s.first, write);
}

int give_or_foresee(array &a, array_guard &g, const usage &u, bool may)
{
	layout::span s = a.place.chunks_of(u.part);
	array_foresight *f = foresight_of(a);
	if (!f)
		return give_to_device(a, s, u.device);
	// Before the brackets are looked at: see begin_fast().
	a.fast.store(0);
	measure_touches(a.context->stats, *f);
	foresight::verdict v =
		f->kernel_ended(name_of(u), s.first, s.last, a.unseen_ends.exchange(0), may && is_last(a, u));
	a.ends_to_pass.store(f->ends_until_next());
	size_t bytes = size_t{1} << a.place.chunk_shift;
	a.context->stats.foreseen_used_bytes.add(v.used * bytes);
	a.context->stats.foreseen_in_vain_bytes.add(v.in_vain * bytes);
	if (!f->any_expected())
		return give_to_device(a, s, u.device);
	return foreseeing(a, g, s, u.device).run();
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

void forget_touches(array &a)
{
	if (a.foreseen)
		pool().release(a.foreseen, size_for(a.place.chunks));
	a.foreseen = nullptr;
}

} // namespace het
