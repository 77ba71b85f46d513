// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/transfer.h"

#include "core/queue.h"
#include "core/ranges.h"
#include "memory/hooks.h"
#include "os/log.h"

#include <algorithm>
#include <cstring>

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
	entries_[0] = {.bytes = widen_to_edges(to), .writes = true};
	entries_[1] = {.bytes = widen_to_edges(from), .reads = true};
	to_ = to;
	from_ = from;
	accesses = entries_;
	return 0;
}

// The host's page tables cost more than the bytes where many pages would be shown, and taken away again by the next
// kernel. Of few bytes the neighbours come along, which the program is likely to want next.
//
// Commands that write the bytes come before or behind this one, so nobody takes from the host meanwhile what no device
// has now. One that reads those that are no array's may make them one's: that leaves them valid on the host. If the
// device to which bytes are left fails in the copy, what was to be overwritten is lost with it, and the copy says so.
begin_result copy::begin(executor &)
{
	constexpr size_t many = 256 << 10;
	const bool reads_array = to_.size() >= many && is_linked(from_.ptr(), from_.size());
	const bool writes_array = to_.size() >= many && is_linked(to_.ptr(), to_.size());
	if (reads_array && !writes_array)
		return read_in_place(from_, to_.ptr());
	if (writes_array && !reads_array) {
		leave_to_device(to_);
		return write_in_place(to_, from_.ptr());
	}
	int err = bring_to_host(from_, HET_READ_ONLY);
	if (!err)
		err = bring_to_host(to_, HET_WRITE_ONLY);
	if (!err)
		memcpy(to_.ptr(), from_.ptr(), to_.size());
	return err;
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
	memcpy(pattern_, args.pattern, args.pattern_size);
	pattern_size_ = args.pattern_size;
	entries_[0] = {.bytes = widen_to_edges(to_), .writes = true};
	accesses = {entries_, 1};
	return 0;
}

// Doubles what is filled, so that there are few long copies.
begin_result fill::begin(executor &)
{
	if (int err = bring_to_host(to_, HET_WRITE_ONLY))
		return err;
	auto *to = static_cast<char *>(to_.ptr());
	memcpy(to, pattern_, pattern_size_);
	for (size_t done = pattern_size_; done < to_.size();) {
		size_t n = std::min(done, to_.size() - done);
		memcpy(to + done, to, n);
		done += n;
	}
	return 0;
}

} // namespace het::rt
