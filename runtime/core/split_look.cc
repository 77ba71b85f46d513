// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is what the watch sees of a split launch. Its parts run where the memory of others can't be seen, or before
// others have begun: one that waits for another most likely waits for ever.
#include "core/block.h"
#include "core/split_launch.h"
#include "core/waiting_kernels.h"
#include "memory/failure.h"
#include "os/log.h"

#include <algorithm>
#include <cstdio>

namespace het::rt
{

namespace
{

// The speed is in work-items a second, the lower one of what is known, or 0 if nothing is.
double slowest_known(speeds &known, const het_device &d)
{
	double alone = known.alone(d), shared = known.shared(d);
	return shared > 0 ? std::min(alone, shared) : alone;
}

// Returns what the program's owner can do about it.
const char *cure(const het_device &d, bool is_declared)
{
	if (d.compute->info().kind == HET_DEVICE_CUDA)
		return "put .pragma \"het_no_slice\" into the kernel";
	return is_declared ? "leave out HET_SPLIT" : "name a device in the launch";
}

} // namespace

// Returns the block that the device was given first, or null if what it has does not run yet. The caller holds the
// lock.
block *split_launch::running_block(unsigned member) const
{
	block *first = nullptr;
	for (block *b = blocks_; b; b = b->next) {
		if (b->entry.member == member && b->entry.state == ledger_entry::under_way)
			first = b;
	}
	bool runs = first && first->submitted.load() && first->where.load()->runs(*first);
	return runs ? first : nullptr;
}

// @speed is in rows a second in other launches; it is 0 if nothing is known.
bool split_launch::find_late(unsigned member, double speed, uint64_t now, uint64_t gap, unsigned least,
			     late_part &found)
{
	het_device &d = device(member);
	bool late = false;
	lock_.lock(lock_rank::graph);
	block *b = running_block(member);
	double seconds = double(quiet_[member].look(now, gap, b, ledger_.ended() + d.reaped())) * 1e-9;
	if (b) {
		auto n = double(b->entry.what.count);
		double expected = std::max(speed > 0 ? n / speed : 0, ledger_.longest_expected(b->entry.what.count));
		found = {&d, b->entry.what, seconds, expected};
		late = is_stuck(seconds, found.expected, least);
		b->is_late |= late;
	}
	lock_.unlock(lock_rank::graph);
	return late;
}

void split_launch::tell(const late_part &p)
{
	size_t items = shape_.local[shape_.part.along];
	char expected[40] = "";
	if (p.expected > 0)
		snprintf(expected, sizeof(expected), " (%.2g s were expected)", p.expected);
	report(GPUVM_ESTATE, nullptr,
	       "kernel %.60s: work-items %zu to %zu of a divided launch have run on %.50s for %.0f s%s; most likely "
	       "they "
	       "wait for others of it, for ever: %s. It is not divided again",
	       kernel_->name.get(), p.what.first * items, p.what.end() * items - 1, p.device->compute->info().name,
	       p.seconds, expected, cure(*p.device, is_declared_));
}

void split_launch::look(uint64_t now, uint64_t gap, unsigned least_seconds)
{
	for (unsigned i = 0; i < members().size() && !has_late_part_; i++) {
		late_part p;
		double speed = slowest_known(kernel_->speeds, device(i)) / items_of_row();
		has_late_part_ = find_late(i, speed, now, gap, least_seconds, p);
		if (!has_late_part_)
			continue;
		note_waiting(*kernel_, true); // comes first: whoever hears of it may end the process
		tell(p);
		lock_.lock(lock_rank::graph);
		bool ended = has_late_ended_;
		lock_.unlock(lock_rank::graph);
		if (ended)
			note_waiting(*kernel_, false);
	}
}

// What has ended has not waited for ever: it was slow.
void split_launch::tell_ended(const block &b)
{
	note_waiting(*kernel_, false);
	warn("kernel %s: its work-items on %s have ended after all; it is divided again", kernel_->name.get(),
	     device(b.entry.member).compute->info().name);
}

} // namespace het::rt
