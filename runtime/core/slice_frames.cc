// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/slice_frames.h"

#include "core/reserve.h"
#include "memory/buffers.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>
#include <new>
#include <utility>

namespace het::rt
{

namespace
{

// Larger copies would be no faster, and who needs one chunk would wait for longer.
constexpr size_t piece_bytes = size_t{4} << 20;

// Copies are collected, so that the driver gets many at once.
class copies
{
      public:
	copies(const het_device &d, bool home) : device_(d), home_(home) {}

	int add(void *buffer, size_t offset, host_bytes place)
	{
		for (size_t at = 0; at < place.size; at += piece_bytes) {
			if (count_ == most) {
				if (int err = flush())
					return err;
			}
			pieces_[count_++] = {.devbuf = buffer,
					     .offset = offset + at,
					     .host = place.at + at,
					     .size = std::min(piece_bytes, place.size - at),
					     .pinned = place.pinned};
		}
		bytes_ += place.size;
		return 0;
	}
	int flush()
	{
		std::span<const het::transfer> all(pieces_, std::exchange(count_, 0));
		if (all.empty())
			return 0;
		const unsigned n = device_.memory_number;
		return (home_ ? read_buffers(n, all) : write_buffers(n, all)) ? HET_EDEVICE : 0;
	}
	uint64_t bytes() const { return bytes_; }

      private:
	static constexpr size_t most = 64;

	const het_device &device_;
	const bool home_;
	het::transfer pieces_[most];
	size_t count_ = 0;
	uint64_t bytes_ = 0;
};

size_t buffers_of(const slice_plan &plan)
{
	size_t n = 0;
	for (const window &w : plan.windows())
		n += w.buffers;
	return n;
}

// Uses that share a window lie in one array.
const range_use &use_of(const slice_plan &plan, std::span<const range_use> uses, unsigned window)
{
	size_t i = 0;
	while (plan.window_of(i) != window)
		i++;
	return uses[i];
}

} // namespace

int slice_frames::take_buffers(const slice_plan &plan)
{
	for (const window &w : plan.windows()) {
		for (unsigned i = 0; i < w.buffers; i++) {
			void *buffer = nullptr;
			delay_point();
			if (int err = allocate_reserved(*device_, w.room, &buffer, reserved_))
				return err;
			buffers_[nbuffers_++] = buffer;
		}
	}
	return 0;
}

int slice_frames::take(const slice_plan &plan, het_device &d)
{
	device_ = &d;
	buffers_.reset(new (std::nothrow) void *[buffers_of(plan)]);
	if (!buffers_)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	if (int err = reserve(d, memory_kind::windows, plan.nbytes(), "het_launch"))
		return err;
	reserved_ = plan.nbytes();
	const int err = take_buffers(plan);
	if (err)
		give_back();
	return err;
}

void slice_frames::give_back()
{
	while (nbuffers_)
		device_->compute->drop(buffers_[--nbuffers_]);
	if (reserved_)
		rt::give_back(*device_, memory_kind::windows, std::exchange(reserved_, 0));
}

void *slice_frames::buffer(const slice_plan &plan, unsigned window, size_t slice) const
{
	size_t first = 0;
	for (unsigned w = 0; w < window; w++)
		first += plan.windows()[w].buffers;
	return buffers_[first + slice % plan.windows()[window].buffers];
}

int slice_frames::copy(const job &j, bool home)
{
	const unsigned host = core().host_memory->memory_number, other = device_->memory_number;
	const std::unique_ptr<range[]> ranges(new (std::nothrow) range[j.uses.size()]);
	if (!ranges)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	const size_t n = j.plan.find_ranges(j.window, j.rows, home, {ranges.get(), j.uses.size()});
	const uintptr_t first = j.plan.bytes_of(j.window, j.slice).begin;
	void *const to = buffer(j.plan, j.window, j.slice);
	copies all(*device_, home);
	int err = 0;
	for (size_t i = 0; i < n && !err; i++) {
		host_bytes places[most_places];
		size_t offset = ranges[i].begin - first;
		const size_t count = use_of(j.plan, j.uses, j.window).on.find_places(ranges[i], host, other, places);
		for (size_t k = 0; k < count && !err; k++) {
			err = all.add(to, offset, places[k]);
			offset += places[k].size;
		}
	}
	if (!err)
		err = all.flush();
	memory_account &account = device_->memory.account;
	(home ? account.brought : account.sent).fetch_add(all.bytes(), std::memory_order_relaxed);
	return err;
}

} // namespace het::rt
