// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/ranges.h"

#include "core/link_all.h"
#include "core/memory_error.h"
#include "core/pins.h"
#include "memory/exact_bytes.h"
#include "memory/hooks.h"
#include "os/lock.h"

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

// --- begin and end -------------------------------------------------------------

usage usage_of(const range_use &u, const het_device &d)
{
	return {.device = d.memory_number,
		.part = u.bytes,
		.joint = u.joint,
		.launch = u.launch,
		.promised = u.promised,
		.behind = u.behind,
		.by_parts = u.by_parts};
}

beginning begin_range(range_use &u, het_device &d, bool noted, int *err)
{
	int e = 0;
	range linked = u.argument.empty() ? u.bytes : u.argument;
	beginning b = u.on.begin(usage_of(u, d), mode_of(u.access, noted), linked, u.at_work, &e);
	if (b == beginning::failed)
		*err = code_of(e);
	return b;
}

// All begin or none: nobody waits with a bracket open. What the kernel reads comes first: bytes may be arguments twice,
// and where it overwrites them they would not be brought any more.
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

// These are a kernel's notes as the memory core asks them: by addresses of the host array.
class notes_of_use final : public write_notes
{
      public:
	notes_of_use(launch_notes &notes, const range_use &u, const het_device &d)
	    : notes_(notes), begin_(u.bytes.begin), buffer_(u.on.buffer(begin_, d.memory_number, &offset_))
	{
	}

	bool wrote(range bytes) override
	{
		if (notes_.wrote(buffer_, offset_ + (bytes.begin - begin_), bytes.size()))
			return true;
		notes_.bytes_kept += bytes.size();
		return false;
	}

      private:
	launch_notes &notes_;
	const uintptr_t begin_;
	size_t offset_;
	void *const buffer_;
};

// This ends what is open of a use, and is no joint one, which stays open.
template <typename F> int end_by(range_use &u, F end)
{
	if (!u.on.has_begun() || u.joint != joint_kind::none)
		return 0;
	int err = end();
	if (u.on.is_copied())
		drop_copied(u.bytes);
	return code_of(err);
}

// A kernel that was said to write every byte leaves none as it was, whatever pages it wrote.
int end_range(range_use &u, het_device &d, launch_notes *notes)
{
	return end_by(u, [&] {
		if (!notes || u.access != HET_READ_WRITE)
			return u.on.end(usage_of(u, d));
		notes_of_use asked(*notes, u, d);
		return u.on.end(usage_of(u, d), &asked);
	});
}

// What other commands than @n are about to do with a use.
class used_soon
{
      public:
	used_soon(const range_use &u, const node &n)
	{
		if (u.access != HET_READ_ONLY)
			count_ = core().graph.find_uses(u.bytes, n, written_, read_);
		limit(written_, count_.written, u.bytes);
		limit(read_, count_.read, u.bytes);
	}
	bytes_soon all() const { return {{written_, count_.written}, {read_, count_.read}}; }

      private:
	// Where there are more it is all bytes.
	static constexpr size_t most = 8;
	static void limit(range (&ranges)[most], size_t &count, range all)
	{
		if (count <= most)
			return;
		ranges[0] = all;
		count = 1;
	}

	range written_[most], read_[most];
	command_graph::uses count_;
};

int end_range_homeward(range_use &u, het_device &d, const node &n)
{
	const used_soon soon(u, n);
	return end_by(u, [&] { return u.on.end(usage_of(u, d), soon.all(), &u.coming); });
}

template <typename F> int end_all(std::span<range_use> uses, F end)
{
	auto writes = [](const range_use &u) { return u.access != HET_READ_ONLY; };
	std::optional<signals_blocked> once_for_all; // is not needed for a reader, whose end mostly takes no lock
	if (std::any_of(uses.begin(), uses.end(), writes))
		once_for_all.emplace();
	int err = 0;
	for (range_use &u : uses) {
		if (int e = end(u))
			err = e;
	}
	return err;
}

} // namespace

bool widen_linked(std::span<access_entry> entries, const het_device &d)
{
	if (!core().memory_started.load(std::memory_order_acquire))
		return false;
	auto is_plain = [&](const access_entry &e) { return is_plain_on(e.bytes, d.memory_number); };
	if (std::all_of(entries.begin(), entries.end(), is_plain))
		return true;
	signals_blocked once_for_all;
	for (access_entry &e : entries) {
		if (!widen_linked_on(&e.bytes, d.memory_number))
			return false;
	}
	return true;
}

outcome begin_ranges(std::span<range_use> uses, het_device &d, int *err, bool noted, const more_uses &more)
{
	// They are nearly always still linked since the launch.
	bool is_simple = more.all.empty() && !d.memory.is_over.load(std::memory_order_relaxed);
	beginning b = is_simple ? begin_all(uses, d, noted, err) : beginning::stale;
	while (b == beginning::stale) {
		pin kept;
		outcome o = link_all(more.all.empty() ? uses : more.all, d, more.beside, kept, err);
		if (o != outcome::done)
			return o;
		b = begin_all(uses, d, noted, err);
		if (b == beginning::done && more.pinned)
			more.pinned->hold(more.all, d);
	}
	return b == beginning::failed      ? outcome::failed
	       : b == beginning::must_wait ? outcome::must_wait
					   : outcome::done;
}

int begin_part(range_use &u, het_device &d, range part)
{
	return code_of(u.on.begin_part(usage_of(u, d), mode_of(u.access, false), part));
}

int end_ranges(std::span<range_use> uses, het_device &d, launch_notes *notes)
{
	return end_all(uses, [&](range_use &u) { return end_range(u, d, notes); });
}

bool end_ranges_homeward(std::span<range_use> uses, het_device &d, const node &n, int *err)
{
	*err = end_all(uses, [&](range_use &u) { return end_range_homeward(u, d, n); });
	return std::any_of(uses.begin(), uses.end(), [](const range_use &u) { return u.coming.is_open(); });
}

void bring_home(std::span<range_use> uses)
{
	for (range_use &u : uses) {
		if (u.coming.is_open())
			u.coming.finish();
	}
}

void bring_later(std::span<range_use> uses, const node &n)
{
	for (range_use &u : uses) {
		while (u.coming.is_open()) {
			if (core().exiting.load())
				u.coming.drop();
			else
				u.coming.bring_piece(used_soon(u, n).all());
			note_progress();
		}
	}
}

int abandon_ranges(std::span<range_use> uses, het_device &d, bool ran)
{
	int err = 0;
	for (range_use &u : uses) {
		if (!u.on.has_begun())
			continue;
		if (int e = u.on.abandon(usage_of(u, d), mode_of(u.access, false), ran))
			err = e;
		if (u.on.is_copied())
			drop_copied(u.bytes);
	}
	return code_of(err);
}

size_t cut_for_joint(const range_use &u, range_use (&parts)[most_joint_uses])
{
	joint_parts cut = het::cut_for_joint(u.bytes);
	size_t n = 0;
	for (range r : {cut.before, cut.own, cut.behind}) {
		if (r.empty())
			continue;
		joint_kind joint = r == cut.own ? joint_kind::none : joint_kind::exact;
		parts[n++] = {r, u.access, joint, u.at_work, u.launch, u.argument};
	}
	return n;
}

int end_joint_uses(range_use &u, joint_notes *notes)
{
	int err = u.on.end_joint(u.launch, notes);
	if (u.on.is_copied())
		drop_copied(u.bytes);
	return code_of(err);
}

void *buffer_of(const range_use &u, uintptr_t at, const het_device &d, size_t *offset)
{
	return u.on.buffer(at, d.memory_number, offset);
}

int read_in_place(range from, void *to)
{
	return code_of(read_exactly(from, static_cast<char *>(to)));
}

int write_in_place(range to, const void *from)
{
	return code_of(write_exactly(to, static_cast<const char *>(from)));
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
