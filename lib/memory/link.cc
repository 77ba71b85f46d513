// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/link.h"

#include "memory/adopt.h"
#include "memory/allocate.h"
#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/home.h"
#include "memory/hooks.h"
#include "memory/kernel.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/whole_chunk.h"
#include "os/log.h"
#include "os/pool.h"
#include "os/settings.h"
#include "os/vma.h"

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

// Bytes of a gpuvm_malloc() block around the array that nobody else uses: up to the block's end if only the
// rounding to pages lies between.
range owned_in_block(const block &b, range user)
{
	bool to_end = round_up(user.end, page_size()) >= b.pages.end;
	return {user.begin, to_end ? b.pages.end : user.end};
}

// Where the array lies and what kind it is. 0 or GPUVM_EPROT.
int plan(array &a, range user, bool may_copy)
{
	size_t page = page_size();
	if (block *b = block_of(user)) {
		a.from = origin::allocated;
		a.place = plan_layout(user, owned_in_block(*b, user), page, chunk_size_wanted());
		a.offset = b->offset + (a.place.body.begin - b->pages.begin);
		return 0;
	}
	// Only the body is adopted: edges may lie in a page of something else.
	a.place = plan_layout(user, user, page, chunk_size_wanted());
	bool has_body = !a.place.body.empty();
	memory_kind kind = classify(has_body ? a.place.body : user);
	// An array without a whole page, at the end of .data perhaps, is compared and copied, not adopted.
	if (kind == memory_kind::private_anonymous || (kind == memory_kind::private_file && !has_body)) {
		a.from = origin::adopted;
		a.place = plan_layout(user, owned_bytes(user), page, chunk_size_wanted());
		return 0;
	}
	if (kind == memory_kind::unmapped || kind == memory_kind::read_only || !may_copy)
		return fail(GPUVM_EPROT,
			    "gpuvm_link: %p is %s, which can't be watched; use malloc() or gpuvm_malloc()%s",
			    user.ptr(), describe(kind), may_copy ? "" : ", or pass GPUVM_COPY");
	a.from = origin::copied;
	a.place = plan_copied(user, page);
	return 0;
}

// The body becomes (or is) library memory, and is watched.
int take_body(array &a)
{
	if (a.place.body.empty())
		return 0;
	a.chunks = pool_array<chunk>(a.place.chunks);
	if (!a.chunks)
		return fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
	for (uint32_t c = 0; c < a.place.chunks; c++)
		a.chunks[c].enter({host_copy, access::write});
	if (a.from == origin::adopted)
		return adopt(a);
	library &l = lib();
	if (!l.file.populate(a.offset, a.place.body.size()))
		return fail(GPUVM_ESALLOC, "gpuvm_link: no memory for %zu bytes", a.place.body.size());
	if (int err = watch_body(a))
		return fail(GPUVM_EPROT, "array %p: its pages can't be watched (errno %d)", a.place.user.ptr(), -err);
	return 0;
}

void discard_array(array &a)
{
	drop_edges(a);
	if (a.chunks)
		pool().release(a.chunks, a.place.chunks * sizeof(chunk));
	a.chunks = nullptr;
	while (bracket *b = a.parts) {
		a.parts = b->next;
		pool().release(b, sizeof(*b));
	}
	free_array(&a);
}

// An array without links yet. Touches wait while it is made.
int make_array(range user, bool may_copy, array **made)
{
	library &l = lib();
	array *a = new_array(l.ndevs);
	if (!a)
		return fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
	int err = plan(*a, user, may_copy);
	if (!err)
		make_live(*a);
	if (!err && !l.arrays.insert(a->place.extent(), a))
		err = fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
	if (err) {
		retire_array(*a);
		discard_array(*a);
		return err;
	}
	err = take_body(*a);
	if (!err && !make_edges(*a))
		err = fail(GPUVM_ESALLOC, "gpuvm_link: out of memory");
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

bool is_open(const array &a, unsigned device)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->device == device)
			return true;
	}
	return a.links[device].open.load() != 0;
}

// GPUVM_ON_DEVICE: what the host and other devices have is stale.
int claim(array &a, unsigned device, unsigned lane)
{
	caller_guard g(a);
	int err = settle(a, g);
	wait_until_idle(a, g, all_chunks(a));
	if (!err)
		err = give_to_device(a, all_chunks(a), device);
	if (!err)
		err = edges_to_host(a, g, device, a.place.user, lane);
	return err;
}

void forget_link(array &a, unsigned device)
{
	lib().devices[device]->release(a.links[device].devbuf.load());
	a.links[device].devbuf.store(nullptr);
	a.links[device].open.store(0);
	a.linked &= ~device_copy(device);
}

// Removes one link of several.
int unlink_one(array &a, unsigned device)
{
	lane_lease lane;
	caller_guard g(a);
	if (is_open(a, device))
		return fail(GPUVM_ESTATE, "gpuvm_unlink: a kernel on device %u uses array %p; end it first", device,
			    a.place.user.ptr());
	int err = settle(a, g);
	a.fast.store(0);
	for (uint32_t c = 0; a.chunks && c < a.place.chunks && !err; c++) {
		wait_until_idle(a, g, {c, c + 1});
		if (!next_step(a.chunks[c].state(), event::drop, device, lib().rules).allowed)
			err = bring_home(a, g, {c, c + 1}, event::fetch, lane);
		if (!err)
			a.chunks[c].enter(next_step(a.chunks[c].state(), event::drop, device, lib().rules).next);
	}
	if (err)
		return err;
	for (copyset &valid : a.edges.valid)
		valid &= ~device_copy(device);
	forget_link(a, device);
	return 0;
}

// Touches wait from here on; the data is home if @o asks for it.
int prepare_removal(array &a, unlink_options o)
{
	lane_lease lane;
	caller_guard g(a);
	for (unsigned d = 0; d < lib().ndevs && !o.force; d++) {
		if (is_open(a, d))
			return fail(GPUVM_ESTATE, "gpuvm_unlink: a kernel on device %u uses array %p; end it first", d,
				    a.place.user.ptr());
	}
	int err = settle(a, g);
	if (!err && o.sync)
		err = bring_home(a, g, all_chunks(a), event::fetch, lane);
	if (err && !o.force)
		return err;
	wait_until_idle(a, g, all_chunks(a));
	return hold_array(a);
}

int return_body(array &a, unlink_options o)
{
	if (a.place.body.empty())
		return 0;
	if (a.from == origin::adopted)
		return give_back(a, o.discard);
	lib().catcher->unwatch(a.place.body);
	return 0;
}

} // namespace

int unlink_all(array &a, unlink_options o)
{
	library &l = lib();
	int err = prepare_removal(a, o);
	if (!err)
		err = return_body(a, o);
	if (err) {
		release_array(a);
		return err;
	}
	// While the array is still known: whoever was caught before repeats the access, now on ordinary memory.
	if (!a.place.body.empty())
		l.catcher->wake(a.place.body);
	l.arrays.remove(a.place.extent());
	for (unsigned d = 0; d < l.ndevs; d++) {
		if (a.links[d].devbuf.load())
			forget_link(a, d);
	}
	retire_array(a);
	discard_array(a);
	return 0;
}

int link_array(void *hostptr, size_t nbytes, unsigned device, void *devbuf, bool on_device, bool may_copy)
{
	library &l = lib();
	range user = range_of(hostptr, nbytes);
	lane_lease lane;
	structure_guard g;
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
	if (fresh)
		err = make_array(user, may_copy, &a);
	if (err) {
		l.devices[device]->release(devbuf);
		return err;
	}
	a->links[device].devbuf.store(devbuf);
	a->linked |= device_copy(device);
	if (on_device)
		err = claim(*a, device, lane);
	if (err && fresh)
		unlink_all(*a, {});
	else if (err)
		forget_link(*a, device);
	return err;
}

int unlink_array(void *hostptr, unsigned device)
{
	library &l = lib();
	structure_guard g;
	array *a = l.arrays.find(reinterpret_cast<uintptr_t>(hostptr));
	if (!a)
		return fail(GPUVM_EHOSTPTR, "gpuvm_unlink: %p points into no linked array", hostptr);
	if (device != all_devices && !a->links[device].devbuf.load())
		return 0;
	if (device != all_devices && a->linked != device_copy(device))
		return unlink_one(*a, device);
	return unlink_all(*a, {.sync = l.sync_back});
}

void forget_memory(const void *p, size_t n, fate f, const char *call)
{
	if (!is_linked(p, n))
		return;
	structure_guard g;
	while (array *a = lib().arrays.first_overlap(range_of(p, n))) {
		void *user = a->place.user.ptr();
		bool dead = f == fate::freed || (f == fate::unmapped && range_of(p, n).covers(a->place.extent()));
		report(GPUVM_ESTATE, user, "array %p is linked and was given to %s; its links are removed", user, call);
		unlink_options o{.sync = !dead, .discard = dead, .force = true};
		if (unlink_all(*a, o))
			break;
	}
}

} // namespace het
