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

kernel_mode mode_of(uint32_t access, bool noted)
{
	if (access == HET_READ_ONLY)
		return kernel_mode::read_only;
	if (access == HET_WRITE_ONLY)
		return kernel_mode::write_only;
	return noted ? kernel_mode::read_write_noted : kernel_mode::read_write;
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
	if (!v || !is_linked_on(a, u.argument.empty() ? u.bytes : u.argument, d))
		return beginning::stale;
	// It was cut for other chunks: the block cuts anew when it tries again.
	bool is_own = u.owner && u.joint == joint_kind::none && u.access != HET_READ_ONLY;
	if (is_own && het::cut_for_joint(a, u.bytes).own != u.bytes)
		return beginning::must_wait;
	// Who is waiting to link it anew comes first, but for launches that are at work: what they have may be wanted with it.
	if (a.wanted && !u.at_work)
		return beginning::must_wait;
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

outcome begin_ranges(std::span<range_use> uses, het_device &d, int *err, bool noted, std::span<const range_use> all)
{
	// Since the launch they are still linked, nearly always.
	beginning b = all.empty() ? begin_all(uses, d, noted, err) : beginning::stale;
	while (b == beginning::stale) {
		outcome o = link_all(all.empty() ? uses : all, d, err);
		if (o != outcome::done)
			return o;
		b = begin_all(uses, d, noted, err);
	}
	return b == beginning::failed      ? outcome::failed
	       : b == beginning::must_wait ? outcome::must_wait
					   : outcome::done;
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
		if (int e = abandon_kernel(*u.on, usage_of(u, d), mode_of(u.access, false), ran))
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
		parts[n++] = {r, u.access, nullptr, false, joint, u.owner, u.argument, u.at_work};
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
	if (!is_linked(r.ptr(), r.size()))
		return 0;
	return code_of(show_linked(r, access == HET_READ_ONLY ? event::touch_read : event::touch_write));
}

int bring_to_host(std::span<const range_use> uses)
{
	int err = 0;
	for (size_t i = 0; i < uses.size() && !err; i++)
		err = bring_to_host(uses[i].bytes, uses[i].access);
	return err;
}

} // namespace het::rt
