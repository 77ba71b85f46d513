// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/edges.h"

#include "memory/brackets.h"
#include "memory/context.h"
#include "memory/lane.h"
#include "memory/transfer.h"
#include "os/log.h"
#include "os/pool.h"

#include <cstring>
#include <gpuvm.h>

namespace het
{

namespace
{

size_t snapshot_size(const array &a)
{
	return a.place.head.size() + a.place.tail.size();
}

range edge_range(const array &a, unsigned edge)
{
	return edge ? a.place.tail : a.place.head;
}

char *snapshot_of(const array &a, unsigned edge)
{
	return a.edges.snapshot + (edge ? a.place.head.size() : 0);
}

// These are pieces of a copy of edges; the host's side is the snapshot, or the array itself where there is none.
struct edge_pieces {
	transfer pieces[2];
	size_t count = 0, bytes = 0;

	void add(const array &a, unsigned device, unsigned edge, range r)
	{
		char *snapshot =
			a.edges.snapshot ? snapshot_of(a, edge) + (r.begin - edge_range(a, edge).begin) : nullptr;
		void *devbuf = a.links[device].devbuf.load(std::memory_order_relaxed);
		pieces[count++] = {devbuf, r.begin - a.place.user.begin, snapshot ? snapshot : r.ptr(), r.size()};
		bytes += r.size();
	}
	std::span<const transfer> list() const { return {pieces, count}; }
};

// The snapshot becomes what the host has; devices that differ from it lose the edge.
void compare(array &a, unsigned edge)
{
	range r = edge_range(a, edge);
	if (a.edges.snapshot && !memcmp(snapshot_of(a, edge), r.ptr(), r.size()))
		return;
	if (a.edges.snapshot)
		memcpy(snapshot_of(a, edge), r.ptr(), r.size());
	a.edges.valid[edge] = 0;
}

// Snapshot and valid copies belong to the caller while it talks to the device without the lock. The lock goes on
// guarding the writers.
void claim_edges(array &a, array_guard &g)
{
	while (a.edges.busy)
		g.wait_for_change();
	a.edges.busy = true;
}

void lock_edges(array &a, array_guard &g)
{
	claim_edges(a, g);
	g.unlock();
}

void release_edges(array &a)
{
	a.edges.busy = false;
	announce_change(a);
}

void unlock_edges(array &a, array_guard &g)
{
	g.lock();
	release_edges(a);
}

// A kernel on the device writes there.
bool is_ahead(const array &a, unsigned edge, unsigned device)
{
	return a.edges.writer[edge] == 1 + device || has_joint_writer(a, edge_range(a, edge), device);
}

int write_to_device(const array &a, unsigned device, const edge_pieces &pieces)
{
	if (!pieces.count)
		return 0;
	lane_lease lane(*a.context->lanes);
	uint64_t started = start_of_copy(a);
	int err = a.context->devices[device]->write(lane, pieces.list());
	if (!err)
		count_to_device(a, pieces.bytes, started);
	return err;
}

// The caller has locked the edges.
int bring_edges(array &a, const usage &u, const bool (&which)[2])
{
	const unsigned device = u.device;
	edge_pieces old;
	for (unsigned edge : {0, 1}) {
		if (!which[edge])
			continue;
		compare(a, edge);
		if (a.edges.valid[edge] & device_copy(device))
			a.context->stats.kept_bytes.add(edge_range(a, edge).size());
		else
			old.add(a, device, edge, edge_range(a, edge));
	}
	if (u.behind && old.count)
		return GPUVM_ESTATE;
	int err = write_to_device(a, device, old);
	for (unsigned edge : {0, 1}) {
		if (!err && which[edge])
			a.edges.valid[edge] |= device_copy(device);
	}
	return err;
}

// Does so for bytes of one edge. Others of the device's may be ahead of the snapshot.
int bring_bytes(array &a, const usage &u, unsigned edge, range r)
{
	const unsigned device = u.device;
	char *snapshot = a.edges.snapshot ? snapshot_of(a, edge) + (r.begin - edge_range(a, edge).begin) : nullptr;
	bool same = snapshot && !memcmp(snapshot, r.ptr(), r.size());
	if (same && (a.edges.valid[edge] & device_copy(device))) {
		a.context->stats.kept_bytes.add(r.size());
		return 0;
	}
	if (u.behind)
		return GPUVM_ESTATE;
	if (snapshot && !same) {
		memcpy(snapshot, r.ptr(), r.size());
		a.edges.valid[edge] &= device_copy(device);
	}
	edge_pieces one;
	one.add(a, device, edge, r);
	return write_to_device(a, device, one);
}

// What others write on the device is left alone. The caller has claimed the edges.
int bring_own_bytes(array &a, array_guard &g, const usage &u, unsigned edge, bool writes)
{
	int err = 0;
	for (range rest = intersect(edge_range(a, edge), u.part); !rest.empty() && !err;) {
		range r = beside_writers(a, rest, u, writes);
		rest.begin = r.end;
		if (r.empty())
			break;
		g.unlock();
		err = bring_bytes(a, u, edge, r);
		g.lock();
	}
	return err;
}

// The caller has locked the edges.
int read_edges(array &a, unsigned device, range part)
{
	edge_pieces written;
	for (unsigned edge : {0, 1}) {
		if (edge_range(a, edge).overlaps(part))
			written.add(a, device, edge, intersect(edge_range(a, edge), part));
	}
	int err = 0;
	if (written.count) {
		lane_lease lane(*a.context->lanes);
		uint64_t started = start_of_copy(a);
		err = a.context->devices[device]->read(lane, written.list());
		if (!err)
			count_to_host(a, written.bytes, started);
	}
	for (unsigned edge : {0, 1}) {
		range whole = edge_range(a, edge), r = intersect(whole, part);
		if (r.empty())
			continue;
		if (err) {
			// What the kernel has written there is not what the host has.
			a.edges.valid[edge] &= ~device_copy(device);
			continue;
		}
		if (a.edges.snapshot)
			memcpy(r.ptr(), snapshot_of(a, edge) + (r.begin - whole.begin), r.size());
		// It has the bytes around them if it had them before.
		a.edges.valid[edge] = r == whole ? device_copy(device) : a.edges.valid[edge] & device_copy(device);
	}
	return err ? GPUVM_EDEVALLOC : 0;
}

// ---- what is owed ------------------------------------------------------------------------------------
// The edges are claimed.

bool owe(array &a, unsigned device, range part)
{
	auto *b = pool_array<bracket>(1);
	if (!b)
		return false;
	*b = {a.edges.owed, part, uint8_t(device), true, joint_kind::none, false, false, nullptr, false};
	a.edges.owed = b;
	return true;
}

bool is_of(const bracket &b, copyset devices)
{
	return device_copy(b.device) & devices;
}

void pay(bracket **p)
{
	bracket *b = *p;
	*p = b->next;
	pool().release(b, sizeof(*b));
}

int collect_claimed(array &a, array_guard &g, copyset devices)
{
	int err = 0;
	for (bracket **p = &a.edges.owed; *p;) {
		const bracket &b = **p;
		if (!is_of(b, devices)) {
			p = &(*p)->next;
			continue;
		}
		g.unlock();
		int e = read_edges(a, b.device, b.part);
		g.lock();
		if (e) {
			err = e;
			p = &(*p)->next;
		} else {
			pay(p);
		}
	}
	return err;
}

bool forgive_claimed(array &a, copyset devices)
{
	bool any = false;
	for (bracket **p = &a.edges.owed; *p;) {
		if (is_of(**p, devices)) {
			any = true;
			pay(p);
		} else {
			p = &(*p)->next;
		}
	}
	return any;
}

} // namespace

bool make_edges(array &a)
{
	if (!a.place.has_edges() || a.from == origin::copied)
		return true;
	a.edges.snapshot = pool_array<char>(snapshot_size(a));
	if (!a.edges.snapshot)
		return false;
	// The runtime links while commands that come before the kernel may write there. Its arrays are the host's at
	// first, so the kernel's begin takes what the snapshot lacks.
	for (unsigned edge : {0, 1}) {
		if (a.managed)
			memset(snapshot_of(a, edge), 0, edge_range(a, edge).size());
		else
			memcpy(snapshot_of(a, edge), edge_range(a, edge).ptr(), edge_range(a, edge).size());
	}
	return true;
}

void drop_edges(array &a)
{
	if (a.edges.snapshot)
		pool().release(a.edges.snapshot, snapshot_size(a));
	a.edges.snapshot = nullptr;
	while (a.edges.owed)
		pay(&a.edges.owed);
}

void leave_edges_to_writer(array &a, array_guard &g, unsigned device)
{
	if (!a.place.has_edges())
		return;
	claim_edges(a, g);
	forgive_claimed(a, every_device);
	release_edges(a);
	for (uint8_t &writer : a.edges.writer)
		writer = uint8_t(1 + device);
}

void forget_edge_writers(array &a)
{
	for (unsigned edge : {0, 1}) {
		if (a.edges.writer[edge] && !edge_being_written(a, edge_range(a, edge)))
			a.edges.writer[edge] = 0;
	}
}

void forget_edges_of(array &a, array_guard &g, unsigned device)
{
	while (a.edges.busy)
		g.wait_for_change();
	for (copyset &valid : a.edges.valid)
		valid &= ~device_copy(device);
}

int edges_to_device(array &a, array_guard &g, const usage &u, bool writes)
{
	if (!a.place.has_edges())
		return 0;
	claim_edges(a, g);
	if (u.behind && a.edges.owed) {
		release_edges(a);
		return GPUVM_ESTATE;
	}
	if (collect_claimed(a, g, every_device)) {
		release_edges(a);
		return fail(GPUVM_EDEVALLOC,
			    "array %p: what a kernel has written in its edges could not be read when that ended, nor "
			    "now",
			    a.place.user.ptr());
	}
	bool whole[2], ahead[2];
	for (unsigned edge : {0, 1}) {
		range r = edge_range(a, edge);
		ahead[edge] = r.overlaps(u.part) && is_ahead(a, edge, u.device);
		whole[edge] = r.overlaps(u.part) && !ahead[edge];
	}
	g.unlock();
	int err = bring_edges(a, u, whole);
	g.lock();
	for (unsigned edge : {0, 1}) {
		if (ahead[edge] && !err)
			err = bring_own_bytes(a, g, u, edge, writes || u.joint != joint_kind::none);
	}
	release_edges(a);
	for (unsigned edge : {0, 1}) {
		if (!err && whole[edge] && writes)
			a.edges.writer[edge] = uint8_t(1 + u.device);
	}
	return err && err != GPUVM_ESTATE ? GPUVM_EDEVALLOC : err;
}

int edges_to_host(array &a, array_guard &g, unsigned device, range part)
{
	if (!a.place.has_edges())
		return 0;
	lock_edges(a, g);
	int err = read_edges(a, device, part);
	unlock_edges(a, g);
	return err;
}

int edges_of_ended(array &a, array_guard &g, unsigned device, range part, bool *owed)
{
	*owed = false;
	if (!a.place.has_edges())
		return 0;
	lock_edges(a, g);
	int err = read_edges(a, device, part);
	g.lock();
	*owed = err && owe(a, device, part);
	release_edges(a);
	return err;
}

bool is_owed(const array &a, unsigned device, range part)
{
	const bracket *b = a.edges.owed;
	while (b && (b->device != device || b->part != part))
		b = b->next;
	return b;
}

int collect_edges(array &a, array_guard &g, copyset devices)
{
	if (!a.edges.owed)
		return 0;
	claim_edges(a, g);
	int err = collect_claimed(a, g, devices);
	release_edges(a);
	return err;
}

bool forgive_edges(array &a, array_guard &g, copyset devices)
{
	if (!a.edges.owed)
		return false;
	claim_edges(a, g);
	bool any = forgive_claimed(a, devices);
	release_edges(a);
	return any;
}

} // namespace het
