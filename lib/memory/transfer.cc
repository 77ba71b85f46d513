// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/transfer.h"

#include "memory/body.h"
#include "memory/brackets.h"
#include "memory/fragmented.h"
#include "memory/history.h"
#include "memory/host_writes.h"
#include "memory/lane.h"
#include "memory/pin.h"
#include "os/clock.h"
#include "os/log.h"

#include <gpuvm.h>

namespace het
{

transfer piece_of(const array &a, unsigned device, range bytes)
{
	return {.devbuf = a.links[device].devbuf.load(std::memory_order_relaxed),
		.offset = bytes.begin - a.place.user.begin,
		.host = alias_of(a, bytes.begin),
		.size = bytes.size(),
		.pinned = is_pinned(a, device),
		.alias = true};
}

transfer piece_of(const array &a, unsigned device, uint32_t first, uint32_t count)
{
	return piece_of(a, device, a.place.bytes_of(first, count));
}

// A begin must not copy over what a kernel on the device has written.
static bool chunk_is_ahead(const array &a, uint32_t c, unsigned device)
{
	const chunk &ch = a.chunks[c];
	return ch.writer == 1 + device ||
	       ((ch.flags & chunk_joint) && has_noted_writer(a, a.place.chunk_range(c, 1), device));
}

// The kernel need not wait for the chunk to come home.
static bool may_read_meanwhile(const chunk &ch, event e, unsigned device, bool writes)
{
	return (ch.flags & chunk_kept) && e == event::begin_read && !writes && ch.state().device_valid(device);
}

bool would_travel(const array &a, layout::span s, event e, unsigned device)
{
	steps known(a, e, device);
	for (uint32_t c = s.first; c < s.last; c++) {
		const chunk &ch = a.chunks[c];
		if (may_read_meanwhile(ch, e, device, e != event::begin_read))
			continue;
		if ((ch.flags & chunk_busy) || (!chunk_is_ahead(a, c, device) && known.of(c).copies()))
			return true;
	}
	return false;
}

round next_round(array &a, layout::span s, event e, unsigned device, bool writes, const array_history *rewrites)
{
	take_in_host_writes(a);
	round r;
	bool begins = e == event::begin_read || e == event::begin_write;
	steps known(a, e, device), known_writer(a, event::begin_write, device);
	uint32_t c = s.first;
	for (; c < s.last; c++) {
		chunk &ch = a.chunks[c];
		if (may_read_meanwhile(ch, e, device, writes)) {
			r.kept += a.place.bytes_of(c).size();
			continue;
		}
		if (ch.flags & chunk_busy)
			break;
		const bool rewritten = rewrites && rewrites->expects(c) == expectation::write;
		const step &st = (rewritten ? known_writer : known).of(c);
		const event how = rewritten ? event::begin_write : e;
		bool ahead = begins && chunk_is_ahead(a, c, device);
		if (ahead || !st.copies()) {
			r.kept += a.place.bytes_of(c).size();
			if (!ahead && st.next != ch.state()) {
				narrow_fast(a, st.next.valid);
				enter(a, ch, st.next);
			}
			if (writes)
				ch.writer = uint8_t(1 + device);
			continue;
		}
		chunk_run *last = r.count ? &r.runs[r.count - 1] : nullptr;
		const fragments *parts = st.from == each_fragments_own ? fragments_of(a, c) : nullptr;
		if (last && last->from == st.from && last->how == how && last->first + last->count == c && !parts)
			last->count++;
		else if (r.count < runs_at_once)
			r.runs[r.count++] = {c, 1, st.from, false, parts, how};
		else
			break;
		leave_fast(a);
		ch.flags |= chunk_busy;
	}
	r.next = c;
	return r;
}

uint64_t start_of_copy(const array &a)
{
	return a.context->timed ? now_ns() : 0;
}

void count_to_host(const array &a, size_t bytes, uint64_t started_ns)
{
	statistics &s = a.context->stats;
	s.to_host_bytes.add(bytes);
	if (started_ns)
		s.to_host_ns.add(now_ns() - started_ns);
}

void count_to_device(const array &a, size_t bytes, uint64_t started_ns)
{
	statistics &s = a.context->stats;
	s.to_device_bytes.add(bytes);
	if (started_ns)
		s.to_device_ns.add(now_ns() - started_ns);
}

int check_source(const array &a, const byte_run &run)
{
	if (!(a.context->lost.load(std::memory_order_relaxed) >> run.from & 1))
		return 0;
	return fail(GPUVM_EDEVALLOC, "array %p: its bytes from %p on were on %s alone, which has failed: they are lost",
		    a.place.user.ptr(), run.bytes.ptr(), a.context->devices[device_of(run.from)]->name());
}

namespace
{

// Calls copy(byte_run) for what the participant lacks of a run, until one fails.
template <typename F> int for_each_source(const array &a, const chunk_run &run, copyset to, F copy)
{
	range bytes = a.place.bytes_of(run.first, run.count);
	if (!run.parts)
		return copy(byte_run{bytes, run.from});
	int err = 0;
	uintptr_t at = bytes.begin;
	for (const fragment &f : run.parts->all()) {
		range r = {at, bytes.begin + f.end};
		at = r.end;
		if (!err && !(f.valid & to))
			err = copy(byte_run{r, source_of(f.valid)});
	}
	return err;
}

// Copies to the alias. Neighbours with the same source go in one call.
class reads
{
      public:
	reads(array &a, unsigned lane) : a_(a), lane_(lane) {}

	int add(const byte_run &run)
	{
		int err = check_source(a_, run);
		if (!err && count_ && (count_ == most || source_ != device_of(run.from)))
			err = finish();
		source_ = device_of(run.from);
		pieces_[count_++] = piece_of(a_, source_, run.bytes);
		bytes_ += run.bytes.size();
		return err;
	}
	int finish()
	{
		if (!count_)
			return 0;
		uint64_t started = start_of_copy(a_);
		int err = a_.context->devices[source_]->read(lane_, {pieces_, count_});
		if (!err)
			count_to_host(a_, bytes_, started);
		count_ = bytes_ = 0;
		return err;
	}

      private:
	// The list may be on a signal handler's stack.
	static constexpr size_t most = 16;

	array &a_;
	const unsigned lane_;
	unsigned source_ = 0;
	transfer pieces_[most];
	size_t count_ = 0, bytes_ = 0;
};

// Copies to a device, from the alias in as few calls as can be.
class host_writes
{
      public:
	host_writes(array &a, unsigned device, unsigned lane) : a_(a), device_(device), lane_(lane) {}

	// *via_alias is set if the bytes were copied to the alias first.
	int add(const byte_run &run, bool *via_alias)
	{
		if (run.from != 0) {
			int err = copy_from_device(run, via_alias);
			if (err || !*via_alias)
				return err;
		}
		if (int err = count_ == runs_at_once ? finish() : 0)
			return err;
		pieces_[count_++] = piece_of(a_, device_, run.bytes);
		bytes_ += run.bytes.size();
		return 0;
	}
	int finish()
	{
		if (!count_)
			return 0;
		uint64_t started = start_of_copy(a_);
		int err = a_.context->devices[device_]->write(lane_, {pieces_, count_});
		if (!err)
			count_to_device(a_, bytes_, started);
		count_ = bytes_ = 0;
		return err;
	}

      private:
	int copy_from_device(const byte_run &run, bool *via_alias)
	{
		if (int err = check_source(a_, run))
			return err;
		unsigned source = device_of(run.from);
		transfer to = piece_of(a_, device_, run.bytes), from = piece_of(a_, source, run.bytes);
		uint64_t started = start_of_copy(a_);
		int err = a_.context->devices[device_]->copy_from(
			lane_, to.devbuf, to.offset, *a_.context->devices[source], from.devbuf, from.offset, to.size);
		*via_alias = err == GPUVM_EAPI;
		if (!err)
			count_to_device(a_, to.size, started);
		if (!*via_alias)
			return err;
		reads r(a_, lane_);
		err = r.add(run);
		return err ? err : r.finish();
	}

	array &a_;
	const unsigned device_, lane_;
	transfer pieces_[runs_at_once];
	size_t count_ = 0, bytes_ = 0;
};

} // namespace

int copy_to_host(array &a, std::span<const chunk_run> runs, unsigned own_lane)
{
	lane_lease lane(*a.context->lanes, own_lane);
	reads r(a, lane);
	int err = 0;
	for (size_t i = 0; i < runs.size() && !err; i++)
		err = for_each_source(a, runs[i], host_copy, [&](const byte_run &b) { return r.add(b); });
	if (!err)
		err = r.finish();
	return err ? GPUVM_EDEVALLOC : 0;
}

int copy_bytes_to_host(array &a, std::span<const byte_run> runs, unsigned own_lane)
{
	lane_lease lane(*a.context->lanes, own_lane);
	reads r(a, lane);
	int err = 0;
	for (size_t i = 0; i < runs.size() && !err; i++)
		err = r.add(runs[i]);
	if (!err)
		err = r.finish();
	return err ? GPUVM_EDEVALLOC : 0;
}

int copy_to_device(array &a, unsigned device, std::span<chunk_run> runs)
{
	lane_lease lane(*a.context->lanes);
	host_writes w(a, device, lane);
	int err = 0;
	for (size_t i = 0; i < runs.size() && !err; i++) {
		bool via_alias = false;
		err = for_each_source(a, runs[i], device_copy(device),
				      [&](const byte_run &b) { return w.add(b, &via_alias); });
		runs[i].via_alias = via_alias && !runs[i].parts;
	}
	if (!err)
		err = w.finish();
	return err ? GPUVM_EDEVALLOC : 0;
}

int copy_bytes_to_device(array &a, unsigned device, std::span<const byte_run> runs)
{
	lane_lease lane(*a.context->lanes);
	host_writes w(a, device, lane);
	int err = 0;
	bool via_alias = false;
	for (size_t i = 0; i < runs.size() && !err; i++)
		err = w.add(runs[i], &via_alias);
	if (!err)
		err = w.finish();
	return err ? GPUVM_EDEVALLOC : 0;
}

} // namespace het
