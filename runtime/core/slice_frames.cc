// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/slice_frames.h"

#include "core/frame_copies.h"
#include "core/kept_memory.h"
#include "core/reserve.h"
#include "memory/buffers.h"
#include "os/inject.h"
#include "os/log.h"

#include <new>
#include <utility>

namespace het::rt
{

namespace
{

size_t buffers_of(const slice_plan &plan)
{
	size_t n = 0;
	for (const window &w : plan.windows())
		n += w.buffers;
	return n;
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

// What is written is kept when it comes home.
int slice_frames::send(const job &j, keeping how)
{
	const uintptr_t first = j.plan.bytes_of(j.window, j.slice).begin;
	const range_use &use = j.use;
	void *const to = buffer(j.plan, j.window, j.slice);
	frame_copies all(*device_, false);
	kept_window kept(*device_, to, first, use);
	const bool keeps = how != keeping::nothing && !j.plan.windows()[j.window].writes;
	auto send_missing = [&](range missing) {
		if (keeps)
			kept.keep(missing);
		return all.add(to, missing.begin - first, missing, use);
	};
	int err = 0;
	for (size_t i = 0; i < j.ranges.size() && !err; i++)
		err = kept.fetch(j.ranges[i], send_missing);
	if (!err)
		err = all.flush();
	device_->memory.account.sent.fetch_add(all.bytes(), std::memory_order_relaxed);
	travelled_.sent += all.bytes();
	travelled_.reused += kept.reused();
	kept.finish(!err);
	return err;
}

// Copies of the bytes, here and elsewhere, are of before. What was left here by an earlier launch is left again, as
// bytes on both sides of it may be there alone.
int slice_frames::bring(const job &j, keeping how)
{
	const uintptr_t first = j.plan.bytes_of(j.window, j.slice).begin;
	const range_use &use = j.use;
	void *const from = buffer(j.plan, j.window, j.slice);
	frame_copies all(*device_, true);
	kept_window kept(*device_, from, first, use);
	auto take_home = [&](range r) {
		forget_kept_of(use, r, how != keeping::nothing ? device_ : nullptr);
		if (how != keeping::nothing)
			kept.keep(r);
		return all.add(from, r.begin - first, r, use);
	};
	int err = 0;
	for (size_t i = 0; i < j.ranges.size() && !err; i++) {
		forget_kept_of(use, j.ranges[i], device_);
		err = kept.leave(j.ranges[i], how != keeping::written, take_home);
	}
	if (!err)
		err = all.flush();
	device_->memory.account.brought.fetch_add(all.bytes(), std::memory_order_relaxed);
	travelled_.brought += all.bytes();
	travelled_.left += kept.left();
	kept.finish(!err || is_mutant(mutant::keeps_failed));
	return err;
}

// The host has other bytes there until the launch is over, which nobody sees.
int slice_frames::carry_by_host(const job &j, range r)
{
	const uintptr_t from = j.plan.bytes_of(j.window, j.slice - 1).begin,
			to = j.plan.bytes_of(j.window, j.slice).begin;
	frame_copies home(*device_, true), back(*device_, false);
	int err = home.add(buffer(j.plan, j.window, j.slice - 1), r.begin - from, r, j.use);
	if (!err)
		err = home.flush();
	if (!err)
		err = back.add(buffer(j.plan, j.window, j.slice), r.begin - to, r, j.use);
	return err ? err : back.flush();
}

int slice_frames::carry(const job &j)
{
	const unsigned d = device_->memory_number;
	const uintptr_t from = j.plan.bytes_of(j.window, j.slice - 1).begin,
			to = j.plan.bytes_of(j.window, j.slice).begin;
	int err = 0;
	for (size_t i = 0; i < j.ranges.size() && !err; i++) {
		const range r = j.ranges[i];
		delay_point();
		if (copy_buffer({d, buffer(j.plan, j.window, j.slice), r.begin - to},
				{d, buffer(j.plan, j.window, j.slice - 1), r.begin - from}, r.size()))
			err = carry_by_host(j, r);
	}
	return err;
}

} // namespace het::rt
