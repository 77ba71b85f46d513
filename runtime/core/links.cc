// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/links.h"

#include "core/dispatch.h"
#include "core/event.h"
#include "core/lender.h"
#include "core/linking.h"
#include "core/make_room.h"
#include "core/memory_error.h"
#include "dev/no_memory.h"
#include "memory/buffers.h"
#include "memory/evict.h"
#include "memory/hooks.h"
#include "memory/link.h"
#include "memory/lost.h"
#include "memory/start.h"
#include "memory/uses.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// It serialises linking. Its rank is ranges.
futex_lock linking;

// --- the memory core's devices -------------------------------------------------

het_device &memory_device_number(unsigned number)
{
	if (core().host_memory && core().host_memory->memory_number == number)
		return *core().host_memory;
	unsigned i = 0;
	while (core().devices[i]->compute->is_in_place() || core().devices[i]->memory_number != number)
		i++;
	return *core().devices[i];
}

// That one device's memory can't be had is no reason for the others to stand idle.
std::unique_ptr<device> make_memory(const void *, unsigned i, unsigned lanes, int *error)
{
	het_device &d = memory_device_number(i);
	std::unique_ptr<device> made = d.compute->make_memory(i, lanes, error);
	if (made)
		return made;
	if (!d.lost.exchange(true))
		warn("%s gets no commands: its memory can't be used", d.compute->info().name);
	return make_no_memory(i, lanes, error);
}

// Lets go of commands that use an array which is about to be forgotten: those that have not begun never will, and do
// not concern the memory's next owner; the others are waited for. One that is behind others is over when its device has
// done it: this may be called by a callback of one of those, which ends no sooner than that returns. And a worker may
// be the one who runs what the command consists of, as the teller may have its end put off to itself.
void let_go_of(range array)
{
	for (;;) {
		reference<het_event> running;
		bool is_behind = false;
		core().graph.forget_users(array, [&](node &n) {
			auto &e = static_cast<het_event &>(n);
			if (!e.begun) {
				e.inherited = HET_EMEMORY;
				return true;
			}
			if (e.has_ended && !e.comes_home)
				return true;
			if (!running) {
				running = reference<het_event>::to(&e);
				is_behind = e.missing;
			}
			return false;
		});
		if (!running)
			return;
		if (levels_in_use().are_several())
			raise_users(array);
		if (is_behind || is_worker() || is_teller())
			help_progress();
		else
			wait_for(*running);
	}
}

// Where nobody has said what the library may use of a device's memory it is what is free now, and what copies have
// got already.
void set_budgets()
{
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (d.compute->is_in_place())
			continue;
		const uint64_t free = d.compute->free_memory(), lent = lent_bytes(d.memory_number);
		if (!d.memory.is_set)
			d.memory.account.set_limit(bytes_of({}, d.compute->info().memory,
							    free > no_limit - lent ? no_limit : free + lent));
	}
}

void keep_what_is_scarce()
{
	for (unsigned i = 0; i < core().ndevices; i++) {
		if (!core().devices[i]->compute->is_in_place())
			keep_scarce(*core().devices[i]);
	}
}

// --- linking -------------------------------------------------------------------

// Finds the hull of @r and all arrays that it touches. If one of them is in use, all must stay: others may need them.
outcome find_hull(range *r, bool wanted, int *err)
{
	outcome o = outcome::done;
	for (uintptr_t at = r->begin;;) {
		std::optional<linked_array> a = first_linked({at, r->end}, wanted);
		if (!a)
			return o;
		if (!a->managed) {
			*err = fail(HET_EMEMORY, "%p + %zu overlaps memory that the program has linked by gpuvm_link()",
				    r->ptr(), r->size());
			return outcome::failed;
		}
		if (a->open)
			o = outcome::must_wait;
		at = a->user.begin < r->begin ? a->user.begin : a->extent.end;
		*r = {std::min(r->begin, a->user.begin), std::max(r->end, a->user.end)};
	}
}

outcome unlink_all_in(range hull, int *err)
{
	while (std::optional<linked_array> a = first_linked(hull)) {
		int e = unlink_managed(a->user.begin);
		if (e == GPUVM_ESTATE)
			return outcome::must_wait;
		*err = code_of(e);
		if (e)
			return outcome::failed;
	}
	return outcome::done;
}

// What has to wait for memory gets it when the launch begins.
outcome link_at_launch(range r, het_device &d, bool wanted, int *err)
{
	linking_guard g;
	outcome o = make_array(r, wanted, err);
	if (o != outcome::done)
		return o;
	std::optional<linked_array> a = first_linked(r);
	if (!a || (a->devices & device_copy(d.memory_number)))
		return outcome::done;
	const demand w = {.may_evict = false};
	void *buffer = nullptr;
	o = make_room(d, a->user.size(), w, err);
	if (o == outcome::done)
		o = allocate_buffer(d, a->user.size(), w, &buffer, err);
	if (o == outcome::done)
		*err = give_buffer(a->user, d, buffer);
	if (o == outcome::too_large)
		return o;
	return *err ? outcome::failed : outcome::done;
}

} // namespace

linking_guard::linking_guard()
{
	linking.lock(lock_rank::ranges);
}

linking_guard::~linking_guard()
{
	linking.unlock(lock_rank::ranges);
}

outcome make_array(range r, bool wanted, int *err)
{
	*err = 0;
	std::optional<linked_array> a = first_linked(r);
	if (a && a->user.covers(r))
		return outcome::done;
	outcome o = find_hull(&r, wanted, err);
	if (o == outcome::done)
		o = unlink_all_in(r, err);
	if (o != outcome::done)
		return o;
	delay_point();
	*err = code_of(adopt_managed(r));
	return *err ? outcome::failed : outcome::done;
}

int give_buffer(range array, het_device &d, void *buffer)
{
	int err = link_array(array.ptr(), array.size(), d.memory_number, buffer, {.may_copy = true, .managed = true});
	d.compute->drop(buffer); // the link has its own reference
	if (!err)
		d.memory.account.given.fetch_add(array.size(), std::memory_order_relaxed);
	return code_of(err);
}

namespace
{

int start_memory_once()
{
	linking_guard g;
	if (core().memory_started.load())
		return 0;
	if (is_started())
		return fail(HET_ESTATE, "the program has called gpuvm_init(): launches on host memory and gpuvm_init() "
					"can't be used in one process, unless all devices are of kind host");
	const unsigned n = core().nmemories + (core().host_memory != nullptr);
	if (int err = init_library(n, make_memory, nullptr, GPUVM_STRICT))
		return code_of(err);
	set_forget_watcher(let_go_of);
	set_touch_watcher(note_waiting_touch);
	set_budgets();
	core().memory_started.store(true);
	return 0;
}

} // namespace

int start_memory()
{
	if (core().memory_started.load(std::memory_order_acquire))
		return 0;
	int err = start_memory_once();
	if (!err)
		keep_what_is_scarce();
	return err;
}

void forget_memory_of(const het_device &d)
{
	if (core().memory_started.load() && !d.compute->is_in_place())
		lose_device(d.memory_number);
}

// Commands on the arrays that begin one after the other would leave no gap for ever, so new ones wait.
int link_range(range r, het_device &d)
{
	int err = 0;
	bool has_waited = false;
	outcome o;
	while ((o = link_at_launch(r, d, true, &err)) == outcome::must_wait) {
		has_waited = true;
		help_progress();
	}
	if (o == outcome::too_large)
		err = no_device_memory;
	if (has_waited) {
		linking_guard g;
		want_no_more(r);
	}
	return err;
}

bool is_linked_on(range r, const het_device &d)
{
	return is_linked_on(r, d.memory_number);
}

void unlink_range(range r)
{
	if (!core().memory_started.load(std::memory_order_acquire))
		return;
	linking_guard g;
	while (!r.empty()) {
		std::optional<linked_array> a = first_linked(r);
		if (!a)
			return;
		if (a->managed && !a->open)
			unlink_managed(a->user.begin);
		r.begin = std::min(a->extent.end, r.end);
	}
}

void drop_copied(range bytes)
{
	linking_guard g;
	std::optional<linked_array> a = first_linked({bytes.begin, bytes.begin + 1});
	if (a && a->managed && a->copied && !a->open)
		unlink_managed(a->user.begin);
}

} // namespace het::rt
