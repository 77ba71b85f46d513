// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/block.h"

#include "evict/admission.h"
#include "os/clock.h"
#include "os/inject.h"

#include <algorithm>

namespace het::rt
{

block::block(split_plan &launch, unsigned number, rows r)
    : het_event(nullptr), of(reference<split_plan>::to(&launch)), entry{number, r}
{
}

bool block::allocate()
{
	size_t n = 0;
	for (size_t i = 0; i < of->uses().size(); i++)
		n += most_joint_uses * (of->has_pattern(i) ? of->pattern(i).count : 1);
	return uses_.allocate(n) && first_use_.allocate(of->uses().size()) && args_.allocate(of->arguments().size());
}

// --- what it uses --------------------------------------------------------------

// Returns the bytes of one piece that the block's work-items use.
range block::piece(const range_use &u, const het_pattern &p, uint64_t number) const
{
	size_t local = of->shape().local[of->shape().part.along];
	int64_t first = p.offset + int64_t(number * p.stride) + int64_t(entry.what.first * local * p.step);
	int64_t end = first + int64_t((entry.what.count * local - 1) * p.step + p.length);
	auto clip = [&](int64_t at) {
		return u.bytes.begin + size_t(std::clamp<int64_t>(at, 0, int64_t(u.bytes.size())));
	};
	return {clip(first), clip(end)};
}

void block::add_use(const range_use &u)
{
	if (u.bytes.empty())
		return;
	if (!(u.access & HET_WRITE_ONLY) || device().compute->is_in_place()) {
		uses_[nuses_++] = u;
		return;
	}
	range_use parts[most_joint_uses];
	size_t n = cut_for_joint(u, parts);
	std::copy_n(parts, n, &uses_[nuses_]);
	nuses_ += n;
}

void block::take_use(size_t i)
{
	range_use u = of->uses()[i];
	u.argument = u.bytes;
	u.at_work = of->is_at_work();
	const het_pattern &p = of->pattern(i);
	range all = u.bytes;
	// Bytes between the pieces must not be lost.
	if (u.access == HET_WRITE_ONLY && p.length < p.step)
		u.access = HET_READ_WRITE;
	for (uint64_t n = 0; of->has_pattern(i) && n < p.count; n++) {
		u.bytes = piece(of->uses()[i], p, n);
		add_use(u);
	}
	if (of->needs_twin(i))
		uses_[nuses_++] = {all, HET_READ_WRITE, joint_kind::noted, u.at_work, u.launch, all};
	else if (!of->has_pattern(i))
		add_use(u);
	// The kernel gets its address all the same.
	if (nuses_ == first_use_[i])
		add_use({{all.begin, all.begin + 1}, HET_READ_ONLY, joint_kind::none, u.at_work, u.launch, all});
}

void block::take_uses()
{
	nuses_ = 0;
	for (size_t i = 0; i < of->uses().size(); i++) {
		first_use_[i] = nuses_;
		take_use(i);
	}
}

void block::place_arguments()
{
	size_t use = 0;
	for (size_t i = 0; i < of->arguments().size(); i++) {
		args_[i] = of->arguments()[i];
		if (!split_plan::is_memory(args_[i].kind))
			continue;
		if (!device().compute->is_in_place())
			args_[i].buffer = buffer_of(uses_[first_use_[use]], of->uses()[use].bytes.begin, device(),
						    &args_[i].offset);
		use++;
	}
}

// --- the life ------------------------------------------------------------------

// What it costs that all devices have all bytes, and copies of them, belongs to sharing, and is no part of the device's
// speed.
int block::make_twins()
{
	uint64_t ranges_begun = now_ns();
	int err = 0;
	for (size_t i = 0; i < of->uses().size() && !err; i++)
		err = of->needs_twin(i) ? of->make_twin(uses_[first_use_[i]], device(), on_device.lane) : 0;
	if (err) {
		again_ = true;
		abandon_ranges(uses(), device(), false);
		return err;
	}
	twins_ns = uint64_t(double(ranges_begun - begun_at) * of->part_of_twins()) + now_ns() - ranges_begun;
	begun_at += twins_ns;
	return 0;
}

// The other blocks' arrays stay open until the last of them has ended: none may have to be linked anew by then, and
// none leaves the device.
outcome block::begin_uses(int *err)
{
	het_device &d = device();
	const applicant a = {.at_work_here = of->pinned().holds_on(d),
			     .at_work_elsewhere = of->pinned().holds_beside(d)};
	const more_uses more = {of->uses(), a.at_work_here ? 0 : of->bytes_of_twins(), &of->pinned()};
	bool may_begin = passes_line(a) || d.memory.line.may_begin(place_in_line);
	outcome o = may_begin ? begin_ranges(uses(), d, err, false, more) : outcome::no_room;
	if (o == outcome::too_large)
		*err = of->fail_too_large(d);
	if (o != outcome::no_room)
		return o;
	if (refuse(a) == refusal::wait) {
		if (d.memory.line.enter(place_in_line))
			d.memory.account.refusals.fetch_add(1, std::memory_order_relaxed);
		return o;
	}
	is_short_of_memory = true;
	*err = HET_EDEVICE;
	return outcome::failed;
}

begin_result block::begin_on_device()
{
	take_uses();
	int err = 0;
	// Begins on one device come one after the other: no other block of this launch begins here meanwhile.
	const bool is_first_here = !of->pinned().holds_on(device());
	outcome o = outcome::done;
	if (device().compute->is_in_place())
		err = bring_to_host(uses());
	else
		o = begin_uses(&err);
	if (o == outcome::must_wait || o == outcome::no_room)
		return begin_result::refused;
	if (err) {
		again_ = err == HET_EDEVICE;
		return err;
	}
	of->note_work();
	if (of->has_twins() && (err = make_twins())) {
		if (is_first_here)
			of->pinned().drop(device());
		return err;
	}
	place_arguments();
	launch_shape shape = of->shape();
	shape.part.first = entry.what.first;
	shape.part.count = entry.what.count;
	delay_point();
	submitted.store(true);
	err = device().compute->submit(of->kernel_of(entry.member), shape, {args_.get(), of->arguments().size()},
				       on_device);
	if (err) {
		again_ = !abandon_ranges(uses(), device(), on_device.may_have_run) && err == HET_EDEVICE;
		if (is_first_here)
			of->pinned().drop(device());
		return err;
	}
	return device().compute->has_queue() ? begin_result(begin_result::in_flight) : begin_result(end(0));
}

// It has the rows that nobody has taken back until now.
begin_result block::begin(executor &)
{
	if (!of->begin_block(*this))
		return 0;
	begun_at = now_ns();
	const begin_result b = begin_on_device();
	return b.how == begin_result::refused && !of->put_off(*this) ? begin_result(0) : b;
}

int block::end(int device_error)
{
	of->kernel_has_run(device());
	if (!device_error)
		return end_ranges(uses(), device());
	again_ = !abandon_ranges(uses(), device(), true);
	return device_error;
}

// The first call for an array ends the uses of all blocks; it may be gone after that.
int block::end_joint(twins *notes)
{
	int err = 0;
	for (range_use &u : uses()) {
		if (!u.on.has_begun())
			continue;
		kernel_use ended = u.on;
		if (int e = end_joint_uses(u, notes))
			err = e;
		for (block *other = this; other; other = other->next) {
			for (range_use &same : other->uses()) {
				if (same.on.has_array_of(ended))
					same.on.drop();
			}
		}
	}
	return err;
}

void block::abandon()
{
	abandon_ranges(uses(), device(), true);
}

} // namespace het::rt
