// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/transfer.h"

#include "core/device_copy.h"
#include "core/links.h"
#include "core/queue.h"
#include "core/ranges.h"
#include "memory/hooks.h"
#include "memory/whereabouts.h"
#include "os/log.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

namespace het::rt
{

range transfer::take_place(const place_in_memory &p, size_t n, const char *call, int *err)
{
	if (!p.object == !p.pointer) {
		*err = fail(HET_EARG, "%s: give a memory object or a host pointer, not both or neither", call);
		return {};
	}
	range r = p.object ? p.object->part(p.offset, n) : range_of(p.pointer, n);
	if (r.empty() || (!p.object && p.offset)) {
		*err = fail(HET_EARG, "%s: %zu bytes from offset %zu on", call, n, p.offset);
		return {};
	}
	objects_[objects_[0] ? 1 : 0] = reference<het_memory>::to(p.object);
	where.store(&core().service);
	return r;
}

// It is linked before the order of commands is known, as for a launch. Where it can't be the host has the bytes first.
void transfer::find_device(het_memory *written, size_t n)
{
	constexpr size_t much = 256 << 10;
	const uint32_t on = queue->devices;
	if (!written || written->is_the_programs() || n < much || !std::has_single_bit(on))
		return;
	het_device *d = core().devices[std::countr_zero(on)].get();
	if (d->compute->is_in_place() || d->lost.load())
		return;
	const range object = written->bytes();
	if (start_memory() || (!is_linked_on(object, *d) && link_range(object, *d)))
		forget_last_error();
	else
		meant_for_ = d;
}

het_device *transfer::device_to_write(range to) const
{
	het_device *holder = only_holder(to);
	return holder || !meant_for_ || meant_for_->lost.load() ? holder : meant_for_;
}

int copy::take(const het_copy_args &args)
{
	int err = 0;
	range to = take_place({args.to, args.to_offset, args.to_pointer}, args.nbytes, "het_copy", &err);
	range from;
	if (!err)
		from = take_place({args.from, args.from_offset, args.from_pointer}, args.nbytes, "het_copy", &err);
	if (err)
		return err;
	if (to.overlaps(from))
		return fail(HET_EARG, "het_copy: the two sides overlap");
	find_device(args.to, args.nbytes);
	entries_[0] = {.bytes = widen_to_edges(to), .writes = true};
	entries_[1] = {.bytes = widen_to_edges(from), .reads = true};
	to_ = to;
	from_ = from;
	accesses = entries_;
	return 0;
}

// The host does it where the bytes are there, or a device can't. Otherwise the host's page tables would cost more than
// the bytes, which would be shown for this and taken away again by the next kernel.
//
// Commands that write the bytes come before or behind this one, so nobody takes from the host meanwhile what no device
// has now. One that reads those that are no array's may make them one's: that leaves them valid on the host.
begin_result copy::begin(executor &)
{
	const bool reads_array = is_linked(from_.ptr(), from_.size());
	const bool writes_array = is_linked(to_.ptr(), to_.size());
	het_device *d = reads_array && writes_array ? device_for_both() : nullptr;
	int err = 0;
	if (d && copy_on_device(*d, to_, from_, &err))
		return err;
	d = reads_array ? nullptr : device_to_write(to_);
	const bool is_there_alone = d && missing_bytes(to_, host_copy) == to_.size();
	if (d && !is_there_alone && write_on_device(*d, to_, from_.ptr(), &err))
		return err;
	if (reads_array && !writes_array)
		return read_in_place(from_, to_.ptr());
	if (writes_array && !reads_array)
		return write_in_place(to_, from_.ptr());
	err = bring_to_host(from_, HET_READ_ONLY);
	if (!err)
		err = bring_to_host(to_, HET_WRITE_ONLY);
	if (!err)
		memcpy(to_.ptr(), from_.ptr(), to_.size());
	return err;
}

// What the host has on both sides it copies itself.
het_device *copy::device_for_both() const
{
	het_device *d = only_holder(from_);
	const bool is_at_home = d && !missing_bytes(from_, host_copy);
	return is_at_home && missing_bytes(to_, device_copy(d->memory_number)) ? nullptr : d;
}

int fill::take(const het_fill_args &args)
{
	int err = 0;
	if (!args.pattern)
		return fail(HET_ENULL, "het_fill: no pattern");
	if (!args.pattern_size || args.pattern_size > most || args.nbytes % args.pattern_size)
		return fail(HET_EARG, "het_fill: a pattern of %zu bytes for %zu; want 1 to %zu, and a multiple",
			    args.pattern_size, args.nbytes, most);
	to_ = take_place({args.to, args.to_offset, args.to_pointer}, args.nbytes, "het_fill", &err);
	if (err)
		return err;
	find_device(args.to, args.nbytes);
	memcpy(pattern_, args.pattern, args.pattern_size);
	pattern_size_ = args.pattern_size;
	entries_[0] = {.bytes = widen_to_edges(to_), .writes = true};
	accesses = {entries_, 1};
	return 0;
}

// Doubles what is filled, so that there are few long copies.
void fill::repeat(char *to, size_t n) const
{
	memcpy(to, pattern_, pattern_size_);
	for (size_t done = pattern_size_; done < n;) {
		const size_t more = std::min(done, n - done);
		memcpy(to + done, to, more);
		done += more;
	}
}

bool fill::begin_on(het_device &d, int *err) const
{
	constexpr size_t usual = 64 << 10;
	const size_t n = std::min(to_.size(), usual / pattern_size_ * pattern_size_);
	const std::unique_ptr<char[]> first(new (std::nothrow) char[n]);
	if (!first)
		return false;
	repeat(first.get(), n);
	return fill_on_device(d, to_, first.get(), n, err);
}

begin_result fill::begin(executor &)
{
	int err = 0;
	het_device *d = device_to_write(to_);
	if (d && begin_on(*d, &err))
		return err;
	err = bring_to_host(to_, HET_WRITE_ONLY);
	if (!err)
		repeat(static_cast<char *>(to_.ptr()), to_.size());
	return err;
}

} // namespace het::rt
