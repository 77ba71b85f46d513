// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/exact_copy.h"

#include "memory/body.h"
#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/fragmented.h"
#include "memory/hooks.h"
#include "memory/host_writes.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/noted_changes.h"
#include "memory/pending.h"
#include "memory/transfer.h"
#include "memory/uses.h"
#include "os/inject.h"

#include <algorithm>
#include <cstring>
#include <gpuvm.h>

namespace het
{

namespace
{

// Bytes of a body that have the same copies.
struct exact_run {
	range bytes;
	copyset copies;
};

// It copies what of a range lies in one array.
class exact_copy
{
      public:
	// The first byte of @r is at @other there.
	exact_copy(array &a, array_guard &g, range r, char *other, bool writes)
	    : a_(a), g_(g), bytes_(r), other_(other), writes_(writes)
	{
	}

	// The caller is a visitor.
	int run()
	{
		if (int err = collect_edges(a_, g_, every_device))
			return err;
		copy_edges();
		const layout::span s = a_.place.chunks_of(bytes_);
		int err = 0;
		for (next_ = s.first; next_ < s.last && !err;) {
			err = settle(a_, g_);
			if (!err)
				err = copy_next(s.last);
		}
		return err;
	}

      private:
	char *other_of(range r) const { return other_ + (r.begin - bytes_.begin); }

	// A device's copy of an edge is compared with the host's when a kernel begins.
	void copy_edges()
	{
		g_.unlock();
		for (range edge : {a_.place.head, a_.place.tail}) {
			const range r = intersect(edge, bytes_);
			if (!r.empty())
				copy_on_host(r, static_cast<char *>(r.ptr()));
		}
		g_.lock();
	}

	void copy_on_host(range r, char *at)
	{
		if (writes_)
			memcpy(at, other_of(r), r.size());
		else
			memcpy(other_of(r), at, r.size());
	}

	// Joint writers keep apart what each of them has written: who writes beside them waits for their end.
	bool is_ready(uint32_t c) const
	{
		const chunk &ch = a_.chunks[c];
		return !(ch.flags & chunk_busy) && !(writes_ && is_joint(a_, c));
	}

	// A kernel that writes elsewhere in the chunk will have the only copy that is valid.
	copyset copies_to_use(const chunk &ch, copyset valid) const
	{
		return writes_ && ch.writer ? valid | device_copy(ch.writer - 1u) : valid;
	}

	// Adds the runs of a chunk; it is false, and nothing has changed, if there is no room for all of them.
	bool add(uint32_t c)
	{
		const range r = intersect(a_.place.bytes_of(c), bytes_);
		const size_t before = nruns_;
		for (uintptr_t at = r.begin; at < r.end;) {
			const copies_at here = copies_of(a_, c, at);
			const exact_run run = {{at, std::min(r.end, here.end)},
					       copies_to_use(a_.chunks[c], here.valid)};
			at = run.bytes.end;
			if (nruns_ && runs_[nruns_ - 1].copies == run.copies) {
				runs_[nruns_ - 1].bytes.end = at;
			} else if (nruns_ == runs_at_once) {
				nruns_ = before;
				return false;
			} else {
				runs_[nruns_++] = run;
			}
		}
		return true;
	}

	// Copies chunks that follow each other and are nobody else's now. They are kept busy meanwhile, without the
	// lock.
	int copy_next(uint32_t last)
	{
		take_in_host_writes(a_);
		nruns_ = 0;
		uint32_t c = next_;
		// What is on its way to a device ahead of a kernel would count as valid there without these bytes.
		const bool must_wait = writes_ && a_.sent.target;
		for (; c < last && !must_wait && is_ready(c) && add(c); c++)
			;
		if (c == next_) {
			g_.wait_for_change();
			return 0;
		}
		leave_fast(a_);
		for (uint32_t i = next_; i < c; i++)
			a_.chunks[i].flags |= chunk_busy;
		g_.unlock();
		delay_point();
		const int err = copy_runs();
		delay_point();
		g_.lock();
		if (writes_)
			note_change(a_, {next_, c});
		drop_unwritten();
		release_chunks(a_, next_, c - next_);
		next_ = c;
		return err;
	}

	int copy_runs()
	{
		for (size_t i = 0; i < nruns_; i++) {
			const exact_run &run = runs_[i];
			if (int err = writes_ ? write_run(run) : read_run(run))
				return err;
		}
		return 0;
	}

	int read_run(const exact_run &run)
	{
		const uint8_t from = source_of(run.copies);
		if (!from) {
			copy_on_host(run.bytes, alias_of(a_, run.bytes.begin));
			return 0;
		}
		int err = check_source(a_, {run.bytes, from});
		return err ? err : copy_on(device_of(from), run.bytes);
	}

	int write_run(const exact_run &run)
	{
		int err = 0;
		if (run.copies & host_copy)
			copy_on_host(run.bytes, alias_of(a_, run.bytes.begin));
		for (unsigned d = 0; d < a_.context->ndevs && !err; d++) {
			if (!(run.copies & device_copy(d)))
				continue;
			err = copy_on(d, run.bytes);
			if (err)
				note_unwritten(run, d);
		}
		return err;
	}

	// The device has failed to write the run. Where others have written it before, those behind it lack it as well.
	void note_unwritten(const exact_run &run, unsigned device)
	{
		const auto written = copyset(run.copies & (device_copy(device) - 1));
		unwritten_ = {run.bytes, written ? copyset(run.copies & ~written) : device_copy(device)};
	}

	// Valid copies are the same: those without the bytes cease to be, but for the only one.
	void drop_unwritten()
	{
		const layout::span s = a_.place.chunks_of(unwritten_.bytes);
		for (uint32_t c = s.first; c < s.last; c++) {
			for (unsigned d = 0; d < a_.context->ndevs; d++) {
				if (unwritten_.copies & device_copy(d))
					drop_copy(a_, c, unwritten_.bytes, d);
			}
		}
	}

	int copy_on(unsigned device, range r)
	{
		transfer t = piece_of(a_, device, r);
		het::device &d = *a_.context->devices[device];
		const bool by_alias = d.has_alias();
		if (!by_alias) {
			t.host = other_of(r);
			t.pinned = t.alias = false;
		}
		if (by_alias && writes_)
			copy_on_host(r, alias_of(a_, r.begin));
		const uint64_t started = start_of_copy(a_);
		lane_lease lane(*a_.context->lanes);
		if (writes_ ? d.write(lane, {&t, 1}) : d.read(lane, {&t, 1}))
			return GPUVM_EDEVALLOC;
		if (by_alias && !writes_)
			copy_on_host(r, alias_of(a_, r.begin));
		(writes_ ? count_to_device : count_to_host)(a_, r.size(), started);
		return 0;
	}

	array &a_;
	array_guard &g_;
	const range bytes_;
	char *const other_;
	const bool writes_;
	uint32_t next_ = 0; // chunk
	exact_run runs_[runs_at_once];
	size_t nruns_ = 0;
	exact_run unwritten_ = {}; // and the copies that lack it
};

// A range in which the bytes of the first array begin, if any does.
struct first_part {
	uintptr_t plain_end; // before it, and of what may be watched along with an array but is none's
	range in;
};

first_part find_first(range r)
{
	const auto found = anything_linked() ? first_linked(r) : std::nullopt;
	if (!found)
		return {r.end, {}};
	const range in = intersect(found->user, r);
	return {in.empty() ? std::min(found->extent.end, r.end) : in.begin, in};
}

// Returns how much was copied: all, or nothing if the array is not linked there any more.
size_t copy_in_array(range in, char *other, bool writes, int *err)
{
	array *a = lib().arrays.find(in.begin);
	if (!a)
		return 0;
	caller_guard g(*a);
	visit v(*a, g);
	if (!v || !a->place.user.covers(in))
		return 0;
	*err = copy_exactly(*a, g, in, other, writes);
	return in.size();
}

int copy_exactly(range r, char *other, bool writes)
{
	int err = 0;
	while (!r.empty() && !err) {
		const first_part part = find_first(r);
		auto *here = static_cast<char *>(r.ptr());
		size_t done = part.plain_end - r.begin;
		memcpy(writes ? here : other, writes ? other : here, done);
		if (!part.in.empty())
			done += copy_in_array(part.in, other + done, writes, &err);
		r.begin += done;
		other += done;
	}
	return err;
}

} // namespace

int copy_exactly(array &a, array_guard &g, range r, char *other, bool writes)
{
	return exact_copy(a, g, r, other, writes).run();
}

int read_exactly(range r, char *other)
{
	return copy_exactly(r, other, false);
}

int write_exactly(range r, const char *other)
{
	return copy_exactly(r, const_cast<char *>(other), true);
}

} // namespace het
