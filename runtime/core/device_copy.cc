// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/device_copy.h"

#include "core/links.h"
#include "core/ranges.h"
#include "memory/buffers.h"
#include "memory/whereabouts.h"
#include "os/inject.h"

#include <algorithm>
#include <gpuvm.h>

namespace het::rt
{

namespace
{

bool host_has(range r)
{
	return !missing_bytes(r, host_copy);
}

bool device_has(const het_device &d, range r)
{
	return !missing_bytes(r, device_copy(d.memory_number));
}

// The device is the only owner of these bytes when it has written them, and of what shares a chunk with them.
class overwritten
{
      public:
	explicit overwritten(range to) : whole_(widen_for_joint(to)), is_at_home_(host_has(whole_)) {}

	// Where some bytes are on the host alone, and others on the device alone, a copy that fails would lose one or
	// the other.
	bool may_be_on(const het_device &d) const { return is_at_home_ || device_has(d, whole_); }

	// The copy has failed. Bytes that are nowhere else stay the device's, whatever it has of those it was to write.
	void give_back(std::span<range_use> uses, het_device &d) const
	{
		if (is_at_home_)
			abandon_ranges(uses, d, true);
		else
			end_ranges(uses, d);
	}

      private:
	const range whole_;
	const bool is_at_home_;
};

// Does copy(), which returns as those of memory/buffers.h, while the uses are open. The last one is what it writes.
template <typename F> bool copy_in(std::span<range_use> uses, het_device &d, int *err, F copy)
{
	const overwritten to(uses.back().bytes);
	int why = 0;
	auto is_there = [&](const range_use &u) { return is_linked_on(u.bytes, d); };
	if (!std::all_of(uses.begin(), uses.end(), is_there) || !to.may_be_on(d))
		return false;
	if (begin_ranges(uses, d, &why) != outcome::done)
		return false;
	delay_point();
	const int failed = copy();
	delay_point();
	if (failed == GPUVM_EAPI) {
		abandon_ranges(uses, d, false);
		return false;
	}
	if (failed)
		to.give_back(uses, d);
	*err = failed ? HET_EDEVICE : end_ranges(uses, d);
	return true;
}

place_in_buffer place_of(const range_use &u, const het_device &d)
{
	place_in_buffer p = {d.memory_number, nullptr, 0};
	p.buffer = buffer_of(u, u.bytes.begin, d, &p.offset);
	return p;
}

int write_to(const place_in_buffer &p, const void *from, size_t n)
{
	const het::transfer t = {
		.devbuf = p.buffer, .offset = p.offset, .host = const_cast<void *>(from), .size = n, .plain = true};
	return write_buffers(p.device, {&t, 1}) ? GPUVM_EDEVALLOC : 0;
}

} // namespace

het_device *only_holder(range r)
{
	het_device *holder = nullptr;
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (d.compute->is_in_place() || d.lost.load() || !device_has(d, r))
			continue;
		if (holder)
			return nullptr;
		holder = &d;
	}
	return holder;
}

bool write_on_device(het_device &d, range to, const void *from, int *err)
{
	range_use uses[] = {{.bytes = to, .access = HET_WRITE_ONLY}};
	return copy_in(uses, d, err, [&] { return write_to(place_of(uses[0], d), from, to.size()); });
}

bool copy_on_device(het_device &d, range to, range from, int *err)
{
	range_use uses[] = {{.bytes = from, .access = HET_READ_ONLY}, {.bytes = to, .access = HET_WRITE_ONLY}};
	return copy_in(uses, d, err,
		       [&] { return copy_buffer(place_of(uses[1], d), place_of(uses[0], d), to.size()); });
}

bool fill_on_device(het_device &d, range to, const char *first, size_t n, int *err)
{
	range_use uses[] = {{.bytes = to, .access = HET_WRITE_ONLY}};
	return copy_in(uses, d, err, [&] {
		const place_in_buffer begin = place_of(uses[0], d);
		size_t done = std::min(n, to.size());
		int failed = write_to(begin, first, done);
		// What is filled doubles with each copy, where the device makes any.
		for (bool doubles = true; done < to.size() && !failed;) {
			const size_t more = std::min(doubles ? done : n, to.size() - done);
			const place_in_buffer rest = {begin.device, begin.buffer, begin.offset + done};
			failed = doubles ? copy_buffer(rest, begin, more) : write_to(rest, first, more);
			const bool is_refused = doubles && failed == GPUVM_EAPI;
			doubles &= !is_refused;
			failed = is_refused ? 0 : failed;
			done += is_refused ? 0 : more;
		}
		return failed;
	});
}

} // namespace het::rt
