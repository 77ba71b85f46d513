// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This decides whether a launch that does not fit into a device's memory runs there as slices, and how, or whole on
// host memory in place: it holds what is found out before the launch is a command of the graph, and what its slices, or
// its only part, see of it afterwards.
#pragma once

#include "core/mixed_group.h"
#include "evict/slices.h"

#include <bit>

namespace het::rt
{

class sliced_plan : public row_launch
{
      public:
	// The launch runs on one of these devices, bit by number, for which its arrays are too large.
	sliced_plan(het_queue &q, kernel_arguments &&taken, uint32_t devices)
	    : row_launch(q, std::move(taken)), devices_(devices), given_shape_(shape_),
	      device_(core().devices[std::countr_zero(devices)].get())
	{
	}

	// Chooses the device, and prepares kernel and links there. Returns 0 or a code.
	int prepare();
	const launch_shape &asked_shape() const override { return given_shape_; }

	// These are for its slices, which have a reference.
	het_device &device() const override { return *device_; }
	// Returns the kernel of a slice, by its number.
	device_kernel &kernel(size_t slice) const { return is_inspector(slice) ? *inspector_ : *slice_kernel_; }
	// It only finds out what the launch, the next one, will use.
	bool is_inspector(size_t slice) const { return is_inspected_ && !slice; }
	const launch_shape &shape() const { return shape_; }
	// Returns the launch that a kernel belongs to, by its number: this one, or one that runs mixed with it.
	const sliced_plan &launch_of(size_t kernel) const
	{
		return group_ ? static_cast<sliced_plan &>(group_->launch(kernel % group_->size())) : *this;
	}
	const slice_plan &slices() const { return slices_; }
	// Returns where slices have what is opened for it, by its number among all_uses().
	unsigned window_of_use(size_t use) const
	{
		return group_ ? group_->window_of_open(slices_, use) : slices_.window_of(use);
	}

	// Returns what is known before it runs of how it uses the memory.
	het_memory_use planned_use() const;
	bool may_mix() const override;
	std::span<const row_use> row_uses() const override { return {row_uses_.get(), uses_.size()}; }
	size_t nrows() const override { return nrows_; }
	size_t busy_rows() const override;
	uint64_t bytes_to_have() const override;
	// Returns the level of the command for which it runs.
	virtual int8_t urgency() const { return level.load(); }
	// While it waits for the fetcher it counts as more urgent each time that a later one comes first, so that none
	// waits for ever. They belong to the fetcher.
	int urgency_of_fetch() const { return urgency() + passed_; }
	void is_passed() { passed_++; }
	// Writes the arguments of a kernel down, and what else it needs.
	virtual void place_arguments(size_t kernel, std::span<device_arg> args, launch_shape &s, ticket &t) const = 0;
	// A slice's kernel is about to be given to its device.
	virtual void slice_begins(size_t kernel, const het_event &slice) = 0;
	// A slice's kernel has ended, or could not run. It is called once for each that was started, in whatever order;
	// no lock is held. @said is what was said, or null.
	virtual void slice_is_over(size_t kernel, int err, std::unique_ptr<char[]> &said) = 0;

	// The fetcher calls it (core/slice_threads.h). It is true if the evictor is to see to the launch from now on;
	// otherwise that is over.
	virtual bool fetch_begin() = 0;
	// Then this, which is the fetcher's last for the launch.
	virtual void fetch_all() = 0;
	// The evictor calls it.
	virtual void bring_all() = 0;
	// It is over, and callbacks may run.
	virtual void finish_here(int status) = 0;

      protected:
	// Does the same for a launch that the graph has already.
	int prepare_anew();
	// Plans slices for at most so many bytes. Returns 0 or a code.
	int plan_for(uint64_t nbytes);
	// It runs whole, on host memory in place, and slices_ has its windows alone.
	bool is_in_place() const { return is_in_place_; }
	// Nothing of a use is read: its slices write all that they bring home of it.
	bool is_overwritten(size_t use) const { return row_uses_[use].writes && !row_uses_[use].reads; }
	size_t nslices() const { return is_in_place_ ? 1 + is_inspected_ : slices_.nslices(); }
	device_kernel &kernel_in_place() const { return *slice_kernel_; }
	bool may_be_inspected() const { return inspector_ != nullptr; }
	// It is true if an inspector runs first. Nobody may have begun yet.
	void set_inspected(bool is) { is_inspected_ = is; }
	// Takes in launches that run mixed with it, if there are any.
	void find_group();
	size_t nlaunches() const { return group_ ? group_->size() : 1; }
	// A slice has a kernel of each launch.
	size_t nkernels() const { return nslices() * nlaunches(); }
	// Returns what is to be opened, and one use of those that share a window.
	std::span<range_use> all_uses() { return group_ ? group_->uses() : uses_; }
	const range_use &use_of_window(unsigned window) const;

	slice_plan slices_;
	std::unique_ptr<mixed_group> group_;

      private:
	int refuse(const char *why);
	int prepare_on(het_device &d);
	int prepare_kernel_there();
	int prepare_slices();
	int prepare_in_place();
	void prepare_inspector();
	int choose_local();
	int choose_rows();
	int prepare_kernel(const slicing &how, const char *why_not);
	int fit_slices(uint64_t nbytes);
	int make_row_uses();
	row_use row_use_of(size_t use) const;
	int fail_smallest() const;
	int fail_whole() const;

	int passed_ = 0;
	const uint32_t devices_;
	const launch_shape given_shape_;
	het_device *device_; // that was tried last
	device_kernel *slice_kernel_ = nullptr;
	device_kernel *inspector_ = nullptr; // for a launch in place, or null
	bool is_inspected_ = false;
	size_t nrows_ = 0;
	std::unique_ptr<row_use[]> row_uses_;
	bool is_analysed_ = false, is_in_place_ = false;
	bool has_rows_ = false; // which shape_ and nrows_ tell
	bool is_small_ = false; // the device's memory, for the smallest slice
	// Why the last device can't do it in slices, and in place.
	const char *why_not_ = nullptr, *why_not_in_place_ = nullptr;
};

} // namespace het::rt
