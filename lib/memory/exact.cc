// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/exact.h"

#include "memory/bring.h"
#include "memory/chunks.h"
#include "memory/context.h"
#include "memory/fragmented.h"
#include "memory/host_writes.h"
#include "memory/pending.h"
#include "memory/transfer.h"
#include "os/inject.h"

#include <algorithm>

namespace het
{

namespace
{

// What it has on the device may be written already. Noted writers that have the same bytes get them once.
bool may_be_ahead(const bracket &b, unsigned device)
{
	return b.writes && b.device == device &&
	       (b.joint == joint_kind::exact || (b.joint == joint_kind::noted && b.arrived));
}

bool may_be_ahead(const array &a, range bytes, unsigned device)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (may_be_ahead(*b, device) && b->part.overlaps(bytes))
			return true;
	}
	return false;
}

// It brings bytes of one chunk to one device.
class chunk_begin
{
      public:
	// With @for_writer the bytes are the writer's own, and what is brought is not noted.
	chunk_begin(array &a, array_guard &g, uint32_t c, range bytes, unsigned device, bool for_writer)
	    : a_(a), g_(g), c_(c), rest_(bytes), device_(device), for_writer_(for_writer)
	{
	}

	int run()
	{
		int err = 0;
		while (!rest_.empty() && !err) {
			err = settle(a_, g_);
			if (err)
				break;
			if (a_.chunks[c_].flags & chunk_busy)
				g_.wait_for_change();
			else
				err = bring_next();
		}
		return err;
	}

      private:
	// Collects what the device lacks. Returns where that ends.
	uintptr_t collect()
	{
		nruns_ = 0;
		uintptr_t at = rest_.begin;
		while (at < rest_.end && nruns_ < runs_at_once) {
			copies_at copies = copies_of(a_, c_, at);
			range r = {at, std::min(rest_.end, copies.end)};
			if (!for_writer_)
				r = beside(a_, r, [&](const bracket &b) { return may_be_ahead(b, device_); });
			if (copies.valid & device_copy(device_))
				a_.context->stats.kept_bytes.add(r.size());
			else if (!r.empty())
				runs_[nruns_++] = {r, source_of(copies.valid)};
			at = r.empty() ? std::min(rest_.end, copies.end) : r.end;
		}
		return at;
	}

	// The lock is dropped for the copy.
	int bring_next()
	{
		take_in_host_writes(a_);
		uintptr_t end = collect();
		range now = {rest_.begin, end};
		rest_.begin = end;
		if (!nruns_)
			return 0;
		chunk &ch = a_.chunks[c_];
		// Who is to be told that the bytes are written again must not write them unseen. Of a chunk that has
		// lost bytes the rest is the host's alone.
		bool noted = !for_writer_ && !(ch.flags & chunk_failed) && !may_be_ahead(a_, now, device_);
		int err = noted ? lower_access(a_, {c_, c_ + 1}, access::read) : 0;
		if (err)
			return err;
		leave_fast(a_);
		ch.flags |= chunk_busy;
		g_.unlock();
		delay_point();
		err = copy_bytes_to_device(a_, device_, {runs_, nruns_});
		delay_point();
		g_.lock();
		if (!err && noted && ch.host != access::write)
			add_fragment(a_, c_, now, device_);
		release_chunks(a_, c_, 1);
		return err;
	}

	array &a_;
	array_guard &g_;
	const uint32_t c_;
	range rest_;
	const unsigned device_;
	const bool for_writer_;
	byte_run runs_[runs_at_once];
	size_t nruns_ = 0;
};

} // namespace

int bring_exact(array &a, array_guard &g, const usage &u)
{
	layout::span s = a.place.chunks_of(u.part);
	auto is_whole = [&](uint32_t c) {
		range bytes = a.place.bytes_of(c);
		return u.part.covers(bytes) && !(a.chunks[c].flags & chunk_fragmented) &&
		       !may_be_ahead(a, bytes, u.device);
	};
	int err = 0;
	for (uint32_t c = s.first; c < s.last && !err;) {
		uint32_t first = c;
		while (c < s.last && is_whole(c))
			c++;
		if (c > first) {
			err = bring_to_device(a, g, {first, c}, event::begin_read, u, false);
		} else {
			err = chunk_begin(a, g, c, intersect(a.place.bytes_of(c), u.part), u.device, false).run();
			c++;
		}
	}
	return err;
}

int bring_for_exact_writer(array &a, array_guard &g, const usage &u, bool *only_copy)
{
	layout::span s = a.place.chunks_of(u.part);
	for (uint32_t c = s.first; c < s.last; c++) {
		range bytes = intersect(a.place.bytes_of(c), u.part);
		if (int err = chunk_begin(a, g, c, bytes, u.device, true).run())
			return err;
		wait_until_idle(a, g, {c, c + 1});
		*only_copy |= !drop_copy(a, c, bytes, u.device);
	}
	return 0;
}

} // namespace het
