// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/ranges.h"

#include "memory/brackets.h"
#include "memory/home.h"
#include "memory/hooks.h"
#include "memory/joint.h"
#include "memory/kernel.h"
#include "memory/library.h"
#include "memory/link.h"
#include "memory/lost.h"
#include "os/log.h"

#include <algorithm>
#include <optional>

namespace het::rt
{

namespace
{

// Serialises link_range(). Rank: ranges.
futex_lock linking;

class linking_guard
{
      public:
	linking_guard() { linking.lock(lock_rank::ranges); }
	~linking_guard() { linking.unlock(lock_rank::ranges); }
	linking_guard(const linking_guard &) = delete;
	linking_guard &operator=(const linking_guard &) = delete;
};

// The memory core has said why.
int code_of(int memory_error)
{
	switch (memory_error) {
	case 0:
		return 0;
	case GPUVM_ESALLOC:
		return HET_ENOMEM;
	case GPUVM_EPROT:
	case GPUVM_EHOSTPTR:
	case GPUVM_ERANGE:
		return HET_EMEMORY;
	default:
		return HET_EDEVICE;
	}
}

kernel_mode mode_of(uint32_t access, bool noted)
{
	if (access == HET_READ_ONLY)
		return kernel_mode::read_only;
	if (access == HET_WRITE_ONLY)
		return kernel_mode::write_only;
	return noted ? kernel_mode::read_write_noted : kernel_mode::read_write;
}

// What an array is at this moment.
struct glimpse {
	range user;
	bool live, managed, copied, open;
	copyset linked;
};

glimpse look_at(array &a)
{
	caller_guard g(a);
	glimpse s = {a.place.user, a.live, a.managed, a.from == origin::copied, false, 0};
	for (unsigned d = 0; d < lib().ndevs && a.live; d++) {
		s.open |= is_open(a, d);
		s.linked |= a.links[d].devbuf.load() ? device_copy(d) : 0; // array::linked is the structure lock's
	}
	return s;
}

// --- the memory core's devices -------------------------------------------------

het_device &memory_device_number(unsigned number)
{
	unsigned i = 0;
	while (core().devices[i]->compute->is_in_place() || core().devices[i]->memory_number != number)
		i++;
	return *core().devices[i];
}

std::unique_ptr<device> make_memory(const void *, unsigned i, unsigned lanes, int *error)
{
	return memory_device_number(i).compute->make_memory(i, lanes, error);
}

// Commands that use an array which is about to be forgotten: those that have not begun never will, and do not concern the memory's
// next owner; the others are waited for.
void let_go_of(range array)
{
	for (;;) {
		reference<het_event> running;
		core().graph.forget_users(array, [&](node &n) {
			auto &e = static_cast<het_event &>(n);
			if (!e.begun) {
				e.inherited = HET_EMEMORY;
				return true;
			}
			if (!running)
				running = reference<het_event>::to(&e);
			return false;
		});
		if (!running)
			return;
		wait_for(*running);
	}
}

// --- linking -------------------------------------------------------------------

int give_buffer(range user, het_device &d)
{
	void *buffer = nullptr;
	int err = d.compute->allocate(user.size(), &buffer);
	if (err && d.twins.clear())
		err = d.compute->allocate(user.size(), &buffer);
	if (err)
		return err;
	err = link_array(user.ptr(), user.size(), d.memory_number, buffer, {.may_copy = true, .managed = true});
	d.compute->drop(buffer); // the link has its own reference
	return code_of(err);
}

enum class outcome : uint8_t { done, failed, must_wait };

// Removes the links of all arrays that @r touches and returns their hull with @r.
outcome merge_arrays(range *r, int *err)
{
	while (array *a = lib().arrays.first_overlap(*r)) {
		glimpse s = look_at(*a);
		if (!s.live || !s.user.overlaps(*r))
			continue; // gone meanwhile
		if (!s.managed) {
			*err = fail(HET_EMEMORY, "%p + %zu overlaps memory that the program has linked by gpuvm_link()",
				    r->ptr(), r->size());
			return outcome::failed;
		}
		if (s.open)
			return outcome::must_wait;
		*err = unlink_array(s.user.ptr(), all_devices);
		if (*err && *err != GPUVM_ESTATE && *err != GPUVM_EHOSTPTR) {
			*err = code_of(*err);
			return outcome::failed;
		}
		*r = {std::min(r->begin, s.user.begin), std::max(r->end, s.user.end)};
	}
	return outcome::done;
}

outcome try_link(range r, het_device &d, int *err)
{
	linking_guard g;
	*err = 0;
	array *a = lib().arrays.first_overlap(r);
	glimpse s = a ? look_at(*a) : glimpse{};
	if (a && s.live && s.user.covers(r)) {
		if (!(s.linked & device_copy(d.memory_number)))
			*err = give_buffer(s.user, d);
		return *err ? outcome::failed : outcome::done;
	}
	outcome o = merge_arrays(&r, err);
	if (o != outcome::done)
		return o;
	*err = give_buffer(r, d);
	return *err ? outcome::failed : outcome::done;
}

bool is_linked_on(const array &a, range r, const het_device &d)
{
	return a.live && a.place.user.covers(r) && a.links[d.memory_number].devbuf.load();
}

bool is_linked_on(range r, const het_device &d)
{
	array *a = lib().arrays.first_overlap(r);
	if (!a)
		return false;
	caller_guard g(*a);
	return is_linked_on(*a, r, d);
}

range with_edges(const array &a, range r)
{
	for (range edge : {a.place.head, a.place.tail}) {
		if (edge.overlaps(r))
			r = {std::min(r.begin, edge.begin), std::max(r.end, edge.end)};
	}
	return r;
}

// --- begin and end -------------------------------------------------------------

usage usage_of(const range_use &u, const het_device &d)
{
	return {d.memory_number, u.bytes, u.whole, u.joint, u.owner};
}

// Begins one use of an array that was found, or finds that another device is writing a chunk of it (must_wait), or that the
// array is not what it was (stale). As a visitor: it can't be linked anew before the kernel has begun.
enum class beginning : uint8_t { done, failed, must_wait, stale };

beginning begin_on(array &a, range_use &u, const het_device &d, bool noted, int *err)
{
	caller_guard g(a);
	visit v(a, g);
	if (!v || !is_linked_on(a, u.bytes, d))
		return beginning::stale;
	u.whole = u.joint == joint_kind::none && u.bytes == a.place.user;
	if (conflicts(a, usage_of(u, d)))
		return beginning::must_wait;
	int e = begin_visited(a, g, usage_of(u, d), mode_of(u.access, noted));
	if (e == GPUVM_ESTATE)
		return beginning::must_wait;
	*err = code_of(e);
	if (e)
		return beginning::failed;
	u.on = &a;
	return beginning::done;
}

beginning begin_range(range_use &u, het_device &d, bool noted, int *err)
{
	array *a = lib().arrays.find(u.bytes.begin);
	return a ? begin_on(*a, u, d, noted, err) : beginning::stale;
}

// No bracket of the caller's is open: an array can't be linked anew before its last one has ended.
outcome link_all(std::span<const range_use> uses, het_device &d, int *err)
{
	for (const range_use &u : uses) {
		outcome o = is_linked_on(u.bytes, d) ? outcome::done : try_link(u.bytes, d, err);
		if (o != outcome::done)
			return o;
	}
	return outcome::done;
}

// All or none: nobody waits with a bracket open. What the kernel reads comes first: bytes may be arguments twice, and where it
// overwrites them they would not be brought any more.
beginning begin_all(std::span<range_use> uses, het_device &d, bool noted, int *err)
{
	if (uses.empty())
		return beginning::done;
	signals_blocked once_for_all;
	for (uint32_t access : {HET_READ_ONLY, HET_READ_WRITE, HET_WRITE_ONLY}) {
		for (range_use &u : uses) {
			if (u.access != access)
				continue;
			beginning b = begin_range(u, d, noted, err);
			if (b == beginning::done)
				continue;
			abandon_ranges(uses, d, false);
			return b;
		}
	}
	return beginning::done;
}

// The links of memory that can't be watched go with the last kernel.
void drop_copied(range bytes)
{
	linking_guard g;
	array *a = lib().arrays.find(bytes.begin);
	if (!a)
		return;
	glimpse s = look_at(*a);
	if (s.live && s.managed && s.copied && !s.open)
		unlink_array(s.user.ptr(), all_devices);
}

// A kernel's notes as the memory core asks them: by addresses of the host array.
class notes_of_use final : public write_notes
{
      public:
	notes_of_use(launch_notes &notes, const range_use &u, const het_device &d)
	    : notes_(notes), array_begin_(u.on->place.user.begin), buffer_(u.on->links[d.memory_number].devbuf.load())
	{
	}

	bool wrote(range bytes) override
	{
		if (notes_.wrote(buffer_, bytes.begin - array_begin_, bytes.size()))
			return true;
		notes_.bytes_kept += bytes.size();
		return false;
	}

      private:
	launch_notes &notes_;
	const uintptr_t array_begin_;
	void *const buffer_;
};

// A kernel that was said to write every byte leaves none as it was, whatever pages it wrote.
// Joint uses stay open.
int end_range(range_use &u, het_device &d, launch_notes *notes)
{
	if (!u.on || u.joint != joint_kind::none)
		return 0;
	bool copied = u.on->from == origin::copied;
	int err;
	if (notes && u.access == HET_READ_WRITE) {
		notes_of_use asked(*notes, u, d);
		err = end_kernel(*u.on, usage_of(u, d), nullptr, &asked);
	} else {
		err = end_kernel(*u.on, usage_of(u, d), nullptr);
	}
	u.on = nullptr;
	if (copied)
		drop_copied(u.bytes);
	return code_of(err);
}

} // namespace

int start_memory()
{
	if (core().memory_started.load(std::memory_order_acquire))
		return 0;
	linking_guard g;
	if (core().memory_started.load())
		return 0;
	if (lib().ready.load())
		return fail(HET_ESTATE, "the program has called gpuvm_init(): launches on host memory and gpuvm_init() "
					"can't be used in one process, unless all devices are of kind host");
	if (int err = init_library(core().nmemories, make_memory, nullptr, GPUVM_STRICT))
		return code_of(err);
	set_forget_watcher(let_go_of);
	core().memory_started.store(true);
	return 0;
}

void forget_memory_of(const het_device &d)
{
	if (core().memory_started.load() && !d.compute->is_in_place())
		lose_device(d.memory_number);
}

int link_range(range r, het_device &d)
{
	while (!is_linked_on(r, d)) {
		int err;
		outcome o = try_link(r, d, &err);
		if (o == outcome::failed)
			return err;
		if (o == outcome::must_wait)
			wait_for_progress();
	}
	return 0;
}

range widen_to_edges(range r)
{
	if (!is_linked(r.ptr(), r.size()))
		return r;
	array *a = lib().arrays.first_overlap(r);
	if (!a)
		return r;
	caller_guard g(*a);
	return a->live && a->place.user.covers(r) ? with_edges(*a, r) : r;
}

bool widen_linked(std::span<access_entry> entries, const het_device &d)
{
	if (!core().memory_started.load(std::memory_order_acquire))
		return false;
	signals_blocked once_for_all;
	for (access_entry &e : entries) {
		array *a = lib().arrays.first_overlap(e.bytes);
		if (!a)
			return false;
		caller_guard g(*a);
		if (!is_linked_on(*a, e.bytes, d))
			return false;
		e.bytes = with_edges(*a, e.bytes);
	}
	return true;
}

int begin_ranges(std::span<range_use> uses, het_device &d, bool noted, std::span<const range_use> all)
{
	int err = 0;
	// Since the launch they are still linked, nearly always.
	beginning b = all.empty() ? begin_all(uses, d, noted, &err) : beginning::stale;
	while (b == beginning::stale) {
		outcome o = link_all(all.empty() ? uses : all, d, &err);
		if (o != outcome::done)
			return o == outcome::failed ? err : try_again;
		b = begin_all(uses, d, noted, &err);
	}
	if (b == beginning::failed)
		return err;
	return b == beginning::must_wait ? try_again : 0;
}

int end_ranges(std::span<range_use> uses, het_device &d, launch_notes *notes)
{
	auto writes = [](const range_use &u) { return u.access != HET_READ_ONLY; };
	std::optional<signals_blocked> once_for_all; // the end of a reader mostly takes no lock
	if (std::any_of(uses.begin(), uses.end(), writes))
		once_for_all.emplace();
	int err = 0;
	for (range_use &u : uses) {
		if (int e = end_range(u, d, notes))
			err = e;
	}
	return err;
}

int abandon_ranges(std::span<range_use> uses, het_device &d, bool ran)
{
	int err = 0;
	for (range_use &u : uses) {
		if (!u.on)
			continue;
		bool copied = u.on->from == origin::copied;
		int e = abandon_kernel(*u.on, usage_of(u, d), mode_of(u.access, false), ran);
		if (e && u.access != HET_WRITE_ONLY) // else nobody needs them
			err = e;
		u.on = nullptr;
		if (copied)
			drop_copied(u.bytes);
	}
	return code_of(err);
}

range widen_for_joint(range r)
{
	array *a = is_linked(r.ptr(), r.size()) ? lib().arrays.first_overlap(r) : nullptr;
	if (!a)
		return r;
	caller_guard g(*a);
	return a->live && a->place.user.covers(r) ? het::widen_for_joint(*a, r) : r;
}

size_t cut_for_joint(const range_use &u, range_use (&parts)[most_joint_uses])
{
	joint_parts cut = {{}, u.bytes, {}};
	if (array *a = lib().arrays.first_overlap(u.bytes)) {
		caller_guard g(*a);
		if (a->live && a->place.user.covers(u.bytes))
			cut = het::cut_for_joint(*a, u.bytes);
	}
	size_t n = 0;
	for (range r : {cut.before, cut.own, cut.behind}) {
		if (r.empty())
			continue;
		joint_kind joint = r == cut.own ? joint_kind::none : joint_kind::exact;
		parts[n++] = {r, u.access, nullptr, false, joint, u.owner};
	}
	return n;
}

int end_joint_uses(range_use &u, joint_notes *notes)
{
	bool copied = u.on->from == origin::copied;
	int err = end_joint(*u.on, u.owner, notes);
	u.on = nullptr;
	if (copied)
		drop_copied(u.bytes);
	return code_of(err);
}

void *buffer_of(const range_use &u, uintptr_t at, const het_device &d, size_t *offset)
{
	*offset = at - u.on->place.user.begin;
	return u.on->links[d.memory_number].devbuf.load(std::memory_order_relaxed);
}

int bring_to_host(range r, uint32_t access)
{
	event touch = access == HET_READ_ONLY ? event::touch_read : event::touch_write;
	while (is_linked(r.ptr(), r.size())) {
		array *a = lib().arrays.first_overlap(r);
		if (!a)
			break;
		range part = intersect(look_at(*a).user, r);
		if (part.empty())
			break;
		int err = show_range(part, touch);
		if (err && err != GPUVM_EHOSTPTR)
			return code_of(err);
		r.begin = part.end;
	}
	return 0;
}

int bring_to_host(std::span<const range_use> uses)
{
	int err = 0;
	for (size_t i = 0; i < uses.size() && !err; i++)
		err = bring_to_host(uses[i].bytes, uses[i].access);
	return err;
}

} // namespace het::rt
