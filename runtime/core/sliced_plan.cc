// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/sliced_plan.h"

#include "core/analysis.h"
#include "core/frame_copies.h"
#include "core/granule_frames.h"
#include "core/group_shape.h"
#include "core/link_all.h"
#include "core/make_room.h"
#include "core/queue.h"
#include "core/waiting_kernels.h"
#include "os/log.h"
#include "policy/division.h"

#include <algorithm>
#include <new>

namespace het::rt
{

namespace
{

// This is no code of the program's: another device may do it.
constexpr int not_here = 1;

// What goes for slices goes for that.
constexpr char not_tried[] = "the same goes for that";

using printed = unsigned long long;

} // namespace

int sliced_plan::refuse(const char *why)
{
	why_not_ = why;
	inform("het_launch: kernel %s, which does not fit, does not run so on %s: %s", kernel_->name.get(),
	       device_->compute->info().name, why);
	return not_here;
}

// --- messages ------------------------------------------------------------------

int sliced_plan::fail_whole() const
{
	const memory_account &a = device_->memory.account;
	size_t largest = 0, use = 0, most = 0;
	for (size_t i = 0; i < args_.size(); i++) {
		const size_t n = is_memory(args_[i].kind) ? uses_[use++].bytes.size() : 0;
		largest = n > most ? i : largest;
		most = std::max(most, n);
	}
	return fail(
		HET_EDEVICE,
		"het_launch: kernel %s needs %llu bytes on %s for its arrays, %zu of them for argument %zu, and the "
		"library may use %llu there, of which %llu are raw memory, textures and copies; it can't run in "
		"slices, as %s, nor on host memory in place, as %.300s: raise HET_DEVICE_MEMORY, launch on parts, or "
		"change one of the two",
		kernel_->name.get(), printed(bytes_of_arrays(uses_)), device_->compute->info().name, most, largest,
		printed(a.limit()), printed(a.beside_buffers_for_good()), why_not_, why_not_in_place_);
}

int sliced_plan::fail_smallest() const
{
	const memory_account &a = device_->memory.account;
	size_t largest = 0, use = 0;
	uint64_t most = 0;
	bool stays = false;
	const char *const in_place = why_not_in_place_;
	for (size_t i = 0; i < args_.size(); i++) {
		if (!is_memory(args_[i].kind))
			continue;
		const unsigned w = slices_.window_of(use++);
		if (slices_.smallest_of(w) <= most)
			continue;
		most = slices_.smallest_of(w);
		stays = slices_.windows()[w].stays;
		largest = i;
	}
	return fail(
		HET_EDEVICE,
		"het_launch: the smallest slice of kernel %s needs %llu bytes on %s, %llu of them for argument %zu%s, "
		"and the library may use %llu there, of which %llu are raw memory, textures and copies%s%.300s: raise "
		"HET_DEVICE_MEMORY, or %s%s",
		kernel_->name.get(), printed(slices_.smallest()), device_->compute->info().name, printed(most), largest,
		stays ? ", which each slice may use whole" : "", printed(a.limit()),
		printed(a.beside_buffers_for_good()),
		in_place ? "; it can't work on host memory in place either, as " : "", in_place ? in_place : "",
		stays ? "give the argument a pattern" : "launch on parts", in_place ? ", or change that" : "");
}

// --- the plan ------------------------------------------------------------------

int sliced_plan::choose_local()
{
	rt::choose_local(shape_, kernel_->on(*device_)->limits());
	fatbin::fault why;
	if (device_->compute->takes(kernel_->on(*device_), shape_, why))
		return 0;
	return fail(HET_EARG, "het_launch: kernel %s can't run so on %s: %s", kernel_->name.get(),
		    device_->compute->info().name, why.text);
}

int sliced_plan::choose_rows()
{
	const division d = divide(grid_of(shape_));
	nrows_ = d.count;
	shape_.part.along = d.along;
	const bool is_one_group = d.count == 1 && !(shape_.global[0] % shape_.local[0]);
	return d.why_not && !is_one_group ? refuse(d.why_not) : 0;
}

int sliced_plan::prepare_kernel(const slicing &how, const char *why_not)
{
	int err = kernel_->prepare_slices(*device_, how, &slice_kernel_);
	if (err == HET_ENODEV)
		return refuse(how.in_place ? kernel_->why_not_in_place(*device_) : why_not);
	if (!err)
		err = check_arguments(slice_kernel_);
	fatbin::fault why;
	if (!err && !device_->compute->takes(slice_kernel_, shape_, why))
		return refuse("its text for that does not take these groups");
	return err;
}

// What several pieces of a row have in common is read, but to be written they are too far apart.
row_use sliced_plan::row_use_of(size_t use) const
{
	const range_use &u = uses_[use];
	const het_pattern &p = patterns_[use];
	const size_t local = shape_.local[shape_.part.along];
	row_use r = {u.bytes, (u.access & HET_READ_ONLY) != 0, (u.access & HET_WRITE_ONLY) != 0};
	uint64_t all = 0, between = 0;
	const bool overflows =
		__builtin_mul_overflow(p.count ? p.count - 1 : 0, p.stride, &between) ||
		__builtin_mul_overflow(local - 1, p.step, &all) || __builtin_add_overflow(all, p.length, &all) ||
		__builtin_add_overflow(all, between, &all) || __builtin_mul_overflow(local, p.step, &r.step);
	r.by_rows = has_rows_ && p.size && !overflows && (!r.writes || p.count == 1);
	r.first = p.offset;
	r.length = all;
	return r;
}

// Bytes between the pieces must not be lost.
int sliced_plan::make_row_uses()
{
	row_uses_.reset(new (std::nothrow) row_use[uses_.size()]);
	if (!row_uses_)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	for (size_t i = 0; i < uses_.size(); i++) {
		row_use &r = row_uses_[i] = row_use_of(i);
		const het_pattern &p = patterns_[i];
		r.reads |= r.writes && p.size && (p.count > 1 || p.length < p.step);
	}
	return 0;
}

size_t sliced_plan::busy_rows() const
{
	size_t groups_of_row = 1;
	for (unsigned d = 0; d < shape_.part.along; d++)
		groups_of_row *= shape_.groups(d);
	return std::max<size_t>(1, device_->compute->wanted_groups() / groups_of_row);
}

uint64_t sliced_plan::bytes_to_have() const
{
	const memory_account &a = device_->memory.account;
	const uint64_t fixed = a.used_as(memory_kind::raw) + a.used_as(memory_kind::textures) + lent_by(*device_);
	const uint64_t all = a.budget();
	return all > fixed ? all - fixed : 0;
}

// Returns not_here if not even the smallest one fits.
int sliced_plan::fit_slices(uint64_t nbytes)
{
	if (!slices_.take({row_uses_.get(), uses_.size()}, nrows_))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	is_small_ = !slices_.choose(nbytes, busy_rows(), core().evicts);
	return is_small_ ? not_here : 0;
}

// What is too little for a group may be enough for one.
int sliced_plan::plan_for(uint64_t nbytes)
{
	if (group_ && group_->plan(slices_, nbytes))
		return 0;
	group_.reset();
	const int err = fit_slices(nbytes);
	return err == not_here ? fail_smallest() : err;
}

bool sliced_plan::may_mix() const
{
	return core().mixes && core().evicts != eviction::demand && has_rows_ && !is_in_place_;
}

void sliced_plan::find_group()
{
	if (may_mix())
		group_ = mixed_group::gather(*this);
}

const range_use &sliced_plan::use_of_window(unsigned window) const
{
	return group_ ? group_->use_of_window(slices_, window) : use_of(slices_, uses_, window);
}

het_memory_use sliced_plan::planned_use() const
{
	het_memory_use u = {};
	u.way = is_in_place_ ? HET_MEMORY_IN_PLACE : HET_MEMORY_SLICES;
	for (size_t i = 0; i < uses_.size(); i++)
		(!row_uses_[i].by_rows ? u.whole : is_found(patterns_[i]) ? u.analysed : u.declared)++;
	u.memory_class = u.whole ? HET_CLASS_IRREGULAR : HET_CLASS_REGULAR;
	u.slices = is_in_place_ ? 1 : slices_.nslices();
	return u;
}

int sliced_plan::prepare_kernel_there()
{
	if (has_block())
		return refuse("it has a parameter block, which may hold any address");
	int err = kernel_->prepare(*device_);
	if (!err)
		err = check_arguments(kernel_->on(*device_));
	if (!err)
		err = device_->lost.load() ? HET_EDEVICE : start_memory();
	if (!err && !core().host_memory)
		err = refuse("there are too many devices");
	return err ? err : choose_local();
}

int sliced_plan::prepare_slices()
{
	if (is_known_to_wait(*kernel_, flags_ & HET_SPLIT))
		return refuse("a part of it has waited for another");
	if (int err = choose_rows())
		return err;
	has_rows_ = true;
	is_analysed_ = find_patterns({*kernel_, shape_, args_, uses_}, patterns_);
	if (int err = make_row_uses())
		return err;
	slicing how = {shape_.dimensions, shape_.part.along, {shape_.offset[0], shape_.offset[1], shape_.offset[2]}};
	how.offset[how.along] = 0;
	how.asked = is_analysed_ ? kernel_->description()->asked : nullptr;
	how.in_windows = true;
	const int err = prepare_kernel(how, "its program can't be sliced for windows there");
	return err ? err : fit_slices(bytes_to_have());
}

// What its slices would use tells which arguments are used once. Without rows there is one, which uses all.
int sliced_plan::prepare_in_place()
{
	if (!has_rows_) {
		nrows_ = 1;
		shape_.part = {};
		forget_found_patterns(patterns_);
		if (int err = make_row_uses())
			return err;
	}
	slicing how = {};
	how.in_place = true;
	if (int err = prepare_kernel(how, nullptr))
		return err;
	if (!slices_.take({row_uses_.get(), uses_.size()}, nrows_))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	is_in_place_ = granule_frames::smallest(slices_, bytes_to_have()) <= bytes_to_have();
	if (!is_in_place_)
		return refuse("not even the ends of its arrays fit");
	prepare_inspector();
	return 0;
}

// The launch does without if there is none, or if it takes fewer items in a group.
void sliced_plan::prepare_inspector()
{
	slicing how = {};
	how.in_place = how.inspects = true;
	fatbin::fault why;
	if (core().inspects == inspection::never || kernel_->prepare_slices(*device_, how, &inspector_) ||
	    !device_->compute->takes(inspector_, shape_, why))
		inspector_ = nullptr;
}

// What slices can't do is done in place.
int sliced_plan::prepare_on(het_device &d)
{
	device_ = &d;
	shape_ = given_shape_;
	is_in_place_ = has_rows_ = is_small_ = is_inspected_ = false;
	inspector_ = nullptr;
	why_not_in_place_ = not_tried;
	forget_found_patterns(patterns_);
	if (int err = prepare_kernel_there())
		return err;
	if (int err = prepare_slices(); err != not_here)
		return err;
	const bool is_small = is_small_;
	const char *const why = why_not_;
	const int err = prepare_in_place();
	why_not_in_place_ = err == not_here ? why_not_ : nullptr;
	why_not_ = why;
	return err == not_here && is_small ? fail_smallest() : err;
}

// The error is that of the last device.
int sliced_plan::prepare_anew()
{
	int err = not_here;
	for (unsigned i = 0; i < core().ndevices && err; i++) {
		if (devices_ >> i & 1)
			err = prepare_on(*core().devices[i]);
	}
	if (err)
		return err == not_here ? fail_whole() : err;
	// What only the device has comes home, although it is to be overwritten: if a slice fails, nothing is stale.
	for (range_use &u : uses_)
		u.access |= u.access & HET_WRITE_ONLY ? HET_READ_ONLY : 0;
	return link_uses(*core().host_memory);
}

int sliced_plan::prepare()
{
	where.store(&core().service);
	const int err = prepare_anew();
	if (!err)
		declare_accesses(widen_to_edges);
	return err;
}

} // namespace het::rt
