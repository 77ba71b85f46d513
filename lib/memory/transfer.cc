// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/transfer.h"

#include "memory/brackets.h"
#include "memory/host_writes.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/pin.h"
#include "os/clock.h"
#include "os/log.h"

namespace het
{

transfer piece_of(const array &a, unsigned device, uint32_t first, uint32_t count)
{
	range r = intersect(a.place.chunk_range(first, count), a.place.user);
	return {.devbuf = a.links[device].devbuf.load(std::memory_order_relaxed),
		.offset = r.begin - a.place.user.begin,
		.host = alias_of(a, r.begin),
		.size = r.size(),
		.pinned = is_pinned(a, device)};
}

size_t bytes_of(const array &a, uint32_t first, uint32_t count)
{
	return intersect(a.place.chunk_range(first, count), a.place.user).size();
}

// A begin must not copy over what a kernel on the device has written.
static bool is_ahead(const array &a, uint32_t c, unsigned device)
{
	const chunk &ch = a.chunks[c];
	return ch.writer == 1 + device ||
	       ((ch.flags & chunk_joint) && has_joint_writer(a, a.place.chunk_range(c, 1), device));
}

round next_round(array &a, layout::span s, event e, unsigned device, bool writes)
{
	take_in_host_writes(a);
	round r;
	bool begins = e == event::begin_read || e == event::begin_write;
	uint32_t c = s.first;
	for (; c < s.last && !(a.chunks[c].flags & chunk_busy); c++) {
		chunk &ch = a.chunks[c];
		step st = next_step(ch.state(), e, device, lib().rules);
		bool ahead = begins && is_ahead(a, c, device);
		if (ahead || !st.copies()) {
			r.kept += bytes_of(a, c, 1);
			if (!ahead) {
				narrow_fast(a, st.next.valid);
				enter(a, ch, st.next);
			}
			if (writes)
				ch.writer = uint8_t(1 + device);
			continue;
		}
		chunk_run *last = r.count ? &r.runs[r.count - 1] : nullptr;
		if (last && last->from == st.from && last->first + last->count == c)
			last->count++;
		else if (r.count < runs_at_once)
			r.runs[r.count++] = {c, 1, st.from, false};
		else
			break;
		leave_fast(a);
		ch.flags |= chunk_busy;
	}
	r.next = c;
	return r;
}

uint64_t start_of_copy()
{
	return lib().timed ? now_ns() : 0;
}

void count_to_host(size_t bytes, uint64_t started_ns)
{
	statistics &s = lib().stats;
	s.to_host_bytes.add(bytes);
	if (started_ns)
		s.to_host_ns.add(now_ns() - started_ns);
}

void count_to_device(size_t bytes, uint64_t started_ns)
{
	statistics &s = lib().stats;
	s.to_device_bytes.add(bytes);
	if (started_ns)
		s.to_device_ns.add(now_ns() - started_ns);
}

// What a failed device may still answer is not to be trusted.
static int check_source(const array &a, const chunk_run &run)
{
	if (!(lib().lost.load(std::memory_order_relaxed) >> run.from & 1))
		return 0;
	return fail(GPUVM_EDEVALLOC, "array %p: its bytes from %p on were on %s alone, which has failed: they are lost",
		    a.place.user.ptr(), a.place.chunk_range(run.first, 1).ptr(),
		    lib().devices[device_of(run.from)]->name());
}

int copy_to_host(array &a, std::span<const chunk_run> runs, unsigned own_lane)
{
	lane_lease lane(own_lane);
	// May be on a signal handler's stack.
	constexpr size_t most = 16;
	transfer pieces[most];
	int err = 0;
	for (size_t i = 0; i < runs.size() && !err; i++)
		err = check_source(a, runs[i]);
	for (size_t i = 0; i < runs.size() && !err;) {
		// Neighbours in the list with the same source go in one call.
		unsigned source = device_of(runs[i].from);
		size_t n = 0, bytes = 0;
		for (; n < most && i < runs.size() && device_of(runs[i].from) == source; i++) {
			pieces[n] = piece_of(a, source, runs[i].first, runs[i].count);
			bytes += pieces[n++].size;
		}
		uint64_t started = start_of_copy();
		err = lib().devices[source]->read(lane, {pieces, n});
		if (!err)
			count_to_host(bytes, started);
	}
	return err ? GPUVM_EDEVALLOC : 0;
}

namespace
{

// One run from another device. Sets via_alias where the host's copy became valid on the way.
int copy_between(array &a, unsigned device, chunk_run &run, unsigned lane)
{
	if (int err = check_source(a, run))
		return err;
	unsigned source = device_of(run.from);
	transfer to = piece_of(a, device, run.first, run.count);
	transfer from = piece_of(a, source, run.first, run.count);
	uint64_t started = start_of_copy();
	int err = lib().devices[device]->copy_from(lane, to.devbuf, to.offset, *lib().devices[source], from.devbuf,
						   from.offset, to.size);
	if (err != GPUVM_EAPI) {
		if (!err)
			count_to_device(to.size, started);
		return err ? GPUVM_EDEVALLOC : 0;
	}
	run.via_alias = true;
	return copy_to_host(a, {&run, 1}, lane);
}

} // namespace

int copy_to_device(array &a, unsigned device, std::span<chunk_run> runs)
{
	lane_lease lane;
	transfer pieces[runs_at_once];
	size_t n = 0, bytes = 0;
	for (chunk_run &r : runs) {
		if (r.from != 0) {
			int err = copy_between(a, device, r, lane);
			if (err)
				return err;
			if (!r.via_alias)
				continue;
		}
		pieces[n] = piece_of(a, device, r.first, r.count);
		bytes += pieces[n++].size;
	}
	if (!n)
		return 0;
	uint64_t started = start_of_copy();
	int err = lib().devices[device]->write(lane, {pieces, n});
	if (!err)
		count_to_device(bytes, started);
	return err ? GPUVM_EDEVALLOC : 0;
}

} // namespace het
