// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/link.h"

#include "memory/adopt.h"
#include "memory/allocations.h"
#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/evict.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/history.h"
#include "memory/home.h"
#include "memory/hooks.h"
#include "memory/host_buffers.h"
#include "memory/library.h"
#include "memory/noted_changes.h"
#include "memory/partial_loss.h"
#include "memory/pending.h"
#include "memory/pin.h"
#include "memory/send_ahead.h"
#include "memory/whole_chunk.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/mapping.h"
#include "os/pool.h"
#include "os/settings.h"
#include "os/vma.h"

#include <cerrno>

namespace het
{

namespace
{

layout::span all_chunks(const array &a)
{
	return {0, a.chunks ? a.place.chunks : 0};
}

size_t chunk_size_wanted()
{
	size_t n = settings().chunk;
	return n >= page_size() && !(n & (n - 1)) ? n : 0;
}

// Returns the bytes of a gpuvm_malloc() allocation around the array that nobody else uses, up to its end if only the
// rounding to pages lies between.
range owned_in_allocation(const library &l, const allocation &b, range user)
{
	bool to_end = round_up(user.end, l.space.page_of(b.in_source)) >= b.pages.end;
	return {user.begin, to_end ? b.pages.end : user.end};
}

// Finds out where the array lies and what kind it is. Returns 0, GPUVM_EPROT or GPUVM_ESALLOC.
int plan(const library &l, array &a, range user, bool may_copy)
{
	size_t page = page_size();
	if (allocation *b = allocation_of(l, user)) {
		a.from = origin::allocated;
		a.place = plan_layout(user, owned_in_allocation(l, *b, user), l.space.page_of(b->in_source),
				      b->chunk ? b->chunk : chunk_size_wanted());
		a.offset = b->in_source.offset + (a.place.body.begin - b->pages.begin);
		count_host_writes(a, *b->in_source.host_writes);
		return 0;
	}
	// Only the body is adopted: edges may lie in a page of something else. But they are read and written, too.
	a.place = plan_layout(user, user, page, chunk_size_wanted());
	bool has_body = !a.place.body.empty();
	memory_kind kind = classify(user, has_body ? a.place.body : user);
	// An array without a whole page, at the end of .data perhaps, is compared and copied, not adopted.
	if (kind == memory_kind::private_anonymous || (kind == memory_kind::private_file && !has_body)) {
		a.from = origin::adopted;
		a.place = plan_layout(user, owned_bytes(user), page, chunk_size_wanted());
		return 0;
	}
	if (kind == memory_kind::unknown)
		return fail(GPUVM_ESALLOC,
			    "gpuvm_link: /proc/self/maps, which tells what %p is, can't be opened (errno %d); raise "
			    "'ulimit -n'?",
			    user.ptr(), errno);
	if (kind == memory_kind::unmapped || kind == memory_kind::read_only || !may_copy)
		return fail(GPUVM_EPROT,
			    "gpuvm_link: %p is %s, which can't be watched; use malloc() or gpuvm_malloc()%s",
			    user.ptr(), describe(kind), may_copy ? "" : ", or pass GPUVM_COPY");
	a.from = origin::copied;
	a.place = plan_copied(user, page);
	return 0;
}

// Makes the states of chunks and edges, which are the host's. It is false without memory.
bool make_states(array &a)
{
	if (!a.place.body.empty()) {
		a.chunks = pool_array<chunk>(a.place.chunks);
		if (!a.chunks)
			return false;
		for (uint32_t c = 0; c < a.place.chunks; c++)
			enter(a, a.chunks[c], {host_copy, access::write});
	}
	return make_edges(a);
}

// The body becomes (or is) library memory, and is watched.
int take_body(array &a)
{
	if (a.place.body.empty())
		return 0;
	if (a.from == origin::adopted)
		return adopt(a);
	page_source &source = *a.context->source;
	if (!source.populate(a.offset, a.place.body.size()))
		return fail(GPUVM_ESALLOC, "gpuvm_link: no memory for %zu bytes (%s)", a.place.body.size(),
			    source.cure());
	if (int err = watch_body(a))
		return fail(GPUVM_EPROT, "array %p: its pages can't be watched (errno %d)", a.place.user.ptr(), -err);
	return 0;
}

void discard_array(array &a)
{
	drop_edges(a);
	forget_all_fragments(a);
	forget_touches(a);
	forget_sending(a);
	forget_changes(a);
	if (a.chunks)
		pool().release(a.chunks, a.place.chunks * sizeof(chunk));
	a.chunks = nullptr;
	drop_brackets(a);
	free_array(&a);
}

// Makes an array without links yet. Touches wait while it is made; but who asks where its bytes are does not, so its
// states come first.
int make_array(library &l, range user, const link_options &o, array **made)
{
	array *a = new_array(l);
	if (!a)
		return fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
	a->managed = o.managed;
	int err = plan(l, *a, user, o.may_copy);
	if (!err && !make_states(*a))
		err = fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
	if (!err)
		err = l.buffers.check_against(a->place.extent());
	if (!err)
		make_live(*a);
	if (!err && !l.arrays.insert(a->place.extent(), a))
		err = fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
	if (err) {
		retire_array(*a);
		discard_array(*a);
		return err;
	}
	delay_point();
	err = take_body(*a);
	if (err) {
		l.arrays.remove(a->place.extent());
		retire_array(*a);
		discard_array(*a);
		return err;
	}
	release_array(*a);
	*made = a;
	return 0;
}

// With GPUVM_ON_DEVICE what the host and other devices have is stale. Nothing has changed if it fails.
int claim(array &a, unsigned device)
{
	caller_guard g(a);
	if (any_writer(a))
		return fail(GPUVM_ESTATE,
			    "gpuvm_link: a kernel is writing array %p; end it before a device's copy counts",
			    a.place.user.ptr());
	pin_body(a, g, device);
	layout::span all = all_chunks(a);
	int err = wait_until_quiet(a, g, all);
	a.fast.store(0);
	if (!err)
		err = lower_access(a, all, access::none);
	if (!err)
		err = edges_to_host(a, g, device, a.place.user);
	if (err)
		return err;
	forgive_edges(a, g, every_device);
	wait_until_idle(a, g, all);
	for (uint32_t c = 0; c < all.last; c++)
		a.chunks[c].writer = uint8_t(1 + device);
	err = give_to_device(a, all, device);
	forget_writers(a, all);
	return err;
}

int fail_open(const array &a, unsigned device)
{
	return fail(GPUVM_ESTATE, "gpuvm_unlink: a kernel on device %u uses array %p; end it first", device,
		    a.place.user.ptr());
}

// What only the device has comes home.
int drop_copies(array &a, array_guard &g, unsigned device)
{
	layout::span all = all_chunks(a);
	for (uint32_t c = 0; c < all.last;) {
		if (int err = wait_until_quiet(a, g, {c, c + 1}))
			return err;
		if (drop_copy(a, c, device))
			c++;
		else if (int err = bring_home(a, g, {c, c + 1}, event::fetch))
			return err;
	}
	return 0;
}

// Removes one link of several.
int unlink_one(library &l, array &a, unsigned device)
{
	void *devbuf;
	{
		caller_guard g(a);
		if (is_open(a, device))
			return fail_open(a, device);
		a.fast.store(0);
		if (int err = collect_edges(a, g, device_copy(device)))
			return err;
		do {
			stop_sending(a, g, device);
			if (int err = drop_copies(a, g, device))
				return err;
			forget_edges_of(a, g, device);
		} while (a.sent.target == 1 + device);
		if (is_open(a, device))
			return fail_open(a, device);
		devbuf = forget_link(l, a, device);
	}
	release_buffer(l, a, device, devbuf);
	return 0;
}

bool all_home(const array &a)
{
	if (a.edges.owed)
		return false;
	layout::span all = all_chunks(a);
	for (uint32_t c = 0; c < all.last; c++) {
		if (!a.chunks[c].state().host_valid())
			return false;
	}
	return true;
}

// Edges come home too, if an end failed that should have brought them. What can be had is brought, whatever fails.
int bring_all_home(array &a, array_guard &g)
{
	int err = collect_edges(a, g, every_device);
	int e = bring_home(a, g, all_chunks(a), event::fetch);
	if (e)
		bring_rest_home(a, g);
	return e ? e : err;
}

// Returns the first device with a kernel that uses the array, or the number of devices.
unsigned first_user(const array &a)
{
	unsigned d = 0;
	while (d < a.context->ndevs && !is_open(a, d))
		d++;
	return d;
}

// Touches and calls wait from here on; the data is home if @o asks for it. Others may change everything, and begin
// kernels, whenever the lock is dropped, so it is looked at again until nothing is left to wait for.
int prepare_removal(array &a, unlink_options o)
{
	caller_guard g(a);
	for (bool lost = false;;) {
		unsigned user = o.force ? a.context->ndevs : first_user(a);
		if (user < a.context->ndevs)
			return a.managed ? GPUVM_ESTATE : fail_open(a, user); // the runtime tries again
		int err = wait_until_quiet(a, g, all_chunks(a));
		if (!err && o.sync && !lost)
			err = bring_all_home(a, g);
		if (err && !o.force)
			return err;
		if (err && o.sync && !lost)
			report(GPUVM_EDEVALLOC, a.place.user.ptr(),
			       "array %p: a device can't be read; what only that had is lost, the host keeps old bytes",
			       a.place.user.ptr());
		lost |= err != 0;
		wait_until_idle(a, g, all_chunks(a));
		if (a.visitors)
			g.wait_for_change();
		else if (!a.pending && (!o.sync || lost || all_home(a)) &&
			 (o.force || first_user(a) == a.context->ndevs))
			return hold_array(a);
	}
}

void heal_chunks(array &a)
{
	caller_guard g(a);
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (a.chunks[c].flags & chunk_failed)
			heal_chunk(a, c);
	}
}

int return_body(array &a, unlink_options o)
{
	if (a.place.body.empty())
		return 0;
	int err = a.from == origin::adopted ? give_back(a, o.discard, o.force) : 0;
	if (err && !o.force)
		return err;
	if (err) {
		let_children_have(a.place.body);
		report(GPUVM_ESALLOC, a.place.user.ptr(),
		       "array %p: no memory to give it back as private memory; forked children share or lack it",
		       a.place.user.ptr());
	}
	if (err || a.from != origin::adopted) {
		heal_chunks(a);
		a.context->catcher->unwatch(body_of(a));
	}
	return 0;
}

// Waits for events that unlink would have to wait for, before it takes the structure lock, which others may need to get
// them done.
void settle_before(const library &l, range r)
{
	for (array *a = l.arrays.first_overlap(r); a;) {
		caller_guard g(*a);
		visit v(*a, g);
		if (v && a->place.extent().overlaps(r)) {
			settle(*a, g);
			break;
		}
		a = l.arrays.first_overlap(r);
	}
}

} // namespace

void *forget_link(library &l, array &a, unsigned device)
{
	if (a.links[device].devbuf.load())
		l.buffers.remove(a, device);
	a.links[device].open.store(0);
	a.links[device].ends_for_others = false;
	a.linked &= ~device_copy(device);
	return a.links[device].devbuf.exchange(nullptr);
}

void release_buffer(library &l, const array &a, unsigned device, void *devbuf)
{
	if (!devbuf)
		return;
	l.devices[device]->release(devbuf);
	l.resident[device].fetch_sub(a.place.user.size());
}

int unlink_all(library &l, array &a, unlink_options o)
{
	int err = prepare_removal(a, o);
	if (!err || o.force)
		err = return_body(a, o);
	if (err) {
		release_array(a);
		return err;
	}
	// This is done while the array is still known: whoever was caught before repeats the access, now on ordinary
	// memory.
	if (!a.place.body.empty())
		l.catcher->wake(body_of(a));
	l.arrays.remove(a.place.extent());
	for (unsigned d = 0; d < l.ndevs; d++)
		release_buffer(l, a, d, forget_link(l, a, d));
	unpin_body(a);
	retire_array(a);
	discard_array(a);
	return 0;
}

int link_array(library &l, void *hostptr, size_t nbytes, unsigned device, void *devbuf, link_options o)
{
	range user = range_of(hostptr, nbytes);
	structure_guard g(l);
	array *a = l.arrays.first_overlap(user);
	if (a && a->place.user != user)
		return fail(GPUVM_ERANGE, "gpuvm_link: %p + %zu overlaps the linked array %p + %zu", hostptr, nbytes,
			    a->place.user.ptr(), a->place.user.size());
	if (a && a->links[device].devbuf.load())
		return fail(GPUVM_ELINK, "gpuvm_link: array %p is linked on device %u already", hostptr, device);
	int err = l.devices[device]->retain(devbuf, nbytes);
	if (err)
		return err;
	bool fresh = !a;
	range memory = l.devices[device]->memory_of(devbuf, nbytes);
	err = l.buffers.check(l.arrays, memory, user);
	if (!err && fresh)
		err = make_array(l, user, o, &a);
	if (err) {
		l.devices[device]->release(devbuf);
		return err;
	}
	a->links[device].arrived = ++l.arrivals;
	l.resident[device].fetch_add(nbytes);
	a->links[device].devbuf.store(devbuf);
	a->linked |= device_copy(device);
	if (!l.buffers.add(*a, device, memory))
		err = fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
	if (!err && o.on_device)
		err = claim(*a, device);
	if (err && fresh)
		unlink_all(l, *a, {});
	else if (err)
		release_buffer(l, *a, device, forget_link(l, *a, device));
	return err;
}

int unlink_array(library &l, void *hostptr, unsigned device)
{
	settle_before(l, range_of(hostptr, 1));
	structure_guard g(l);
	array *a = l.arrays.find(reinterpret_cast<uintptr_t>(hostptr));
	if (!a)
		return fail(GPUVM_EHOSTPTR, "gpuvm_unlink: %p points into no linked array", hostptr);
	if (device != all_devices && !a->links[device].devbuf.load())
		return 0;
	if (device != all_devices && a->linked != device_copy(device))
		return unlink_one(l, *a, device);
	return unlink_all(l, *a, {.sync = l.sync_back});
}

// ---- of the process's library ------------------------------------------------------------------------

int link_array(void *hostptr, size_t nbytes, unsigned device, void *devbuf, link_options o)
{
	return link_array(lib(), hostptr, nbytes, device, devbuf, o);
}

int adopt_managed(range user)
{
	library &l = lib();
	structure_guard g(l);
	array *made;
	return make_array(l, user, {.may_copy = true, .managed = true}, &made);
}

int unlink_managed(uintptr_t at)
{
	library &l = lib();
	settle_before(l, {at, at + 1});
	structure_guard g(l);
	array *a = l.arrays.find(at);
	return a ? unlink_all(l, *a, {.sync = l.sync_back}) : 0;
}

namespace
{

std::atomic<forget_watcher> watcher{nullptr};

void tell_watcher(range r)
{
	forget_watcher tell = watcher.load();
	while (tell && !r.empty()) {
		array *a = lib().arrays.first_overlap(r);
		if (!a)
			break;
		range whole;
		{
			caller_guard g(*a);
			whole = a->place.extent();
		}
		tell(whole);
		r.begin = whole.end > r.begin ? whole.end : r.end;
	}
}

} // namespace

void set_forget_watcher(forget_watcher w)
{
	watcher.store(w);
}

void forget_memory(const void *p, size_t n, fate f, const char *call)
{
	if (!is_linked(p, n))
		return;
	tell_watcher(range_of(p, n));
	library &l = lib();
	structure_guard g(l);
	while (array *a = l.arrays.first_overlap(range_of(p, n))) {
		void *user = a->place.user.ptr();
		bool dead = f == fate::freed || (f == fate::unmapped && range_of(p, n).covers(a->place.extent()));
		if (!a->managed)
			report(GPUVM_ESTATE, user, "array %p is linked and was given to %s; its links are removed",
			       user, call);
		unlink_all(l, *a, {.sync = !dead, .discard = dead, .force = true});
	}
}

} // namespace het
