// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This decides whether a launch runs on several devices at once, and how: it holds what is found out before the launch
// is a command of the graph, and what its blocks see of it afterwards.
//
// A block has its own bytes of an argument that is written and has a pattern. Without a pattern each device has all of
// it, and a twin (core/twins.h): what it has written can't be told block by block, so all that a device did is done
// again by others if it fails.
#pragma once

#include "core/kernel_command.h"
#include "core/pins.h"
#include "core/twins.h"
#include "policy/division.h"

#include <atomic>

namespace het::rt
{

class block;

class split_plan : public kernel_command
{
      public:
	// This is what prepare() answers to a launch that is better not split, or can't be.
	static constexpr int unsplit = 1;
	// Gives back what was taken, as it was before the plan, which is at its end.
	kernel_arguments give_back();

	using kernel_command::kernel_command;
	const launch_shape &asked_shape() const override { return given_shape_; }

	// These are for its blocks, which have a reference.
	const launch_shape &shape() const { return shape_; }
	const het_pattern &pattern(size_t use) const { return patterns_[use]; }
	het_device &device(unsigned member) const { return *members_[member].device; }
	device_kernel &kernel_of(unsigned member) const { return *members_[member].kernel; }
	// Returns whether the argument's bytes are known for each block.
	bool has_pattern(size_t use) const;
	bool needs_twin(size_t use) const { return (uses_[use].access & HET_WRITE_ONLY) && !has_pattern(use); }
	bool has_twins() const { return has_twins_; }
	// A block has begun, and may have arrays until all have ended.
	bool is_at_work() const { return at_work_.load(); }
	void note_work() { at_work_.store(true); }
	// Keeps the arrays on the devices where a block has begun.
	pin &pinned() { return pinned_; }
	const pin &pinned() const { return pinned_; }
	// Returns what the first block there needs besides.
	size_t bytes_of_twins() const { return has_twins_ ? twin_bytes() : 0; }
	using kernel_command::fail_too_large;
	// Makes the device's twin of a use that has begun there, ahead of the lane's next command. Returns 0 or a code.
	int make_twin(const range_use &u, het_device &d, unsigned lane) { return twins_.make(u, d, lane); }
	// Returns what part of all memory that it uses has twins.
	double part_of_twins() const;
	// A block of the kernel has run there, or could not run.
	void kernel_has_run(const het_device &d) { kernel_->has_run(d); }
	// A block is about to begin, with the rows that it has now. It is false if it has none left, as others do them.
	virtual bool begin_block(block &b) = 0;
	// It could not begin, as others must end first. It is false if it has no rows any longer, as others do them.
	virtual bool put_off(block &b) = 0;
	// A block has ended; it is called once for each. @again says that others may do it if it has failed. No lock is
	// held.
	virtual void block_is_over(block &b, int err, bool again) = 0;

      protected:
	struct member {
		het_device *device;
		device_kernel *kernel;
	};

	// Prepares kernel and links on all devices. Returns 0, unsplit or a code.
	int plan();
	size_t twin_bytes() const;
	double items_of_row() const;
	std::span<const member> members() const { return {members_, nmembers_}; }
	// Returns whether what blocks begin with is somewhere else still when they have changed it, but where they have
	// a twin.
	bool is_repeatable() const;

	std::unique_ptr<policy> policy_; // lives until the launch begins
	twins twins_;
	bool is_declared_ = false; // the caller has said that it may be divided

      private:
	int choose();
	int refuse(const char *why) const;
	int choose_devices();
	int leave_out_sharers();
	int choose_local();
	int choose_rows();
	int choose_patterns();
	int prepare_kernels();
	int prepare_memory();
	void guess_by_profiles(double (&speeds)[most_devices]) const;
	bool find_speeds(double (&speeds)[most_devices]) const;
	void find_busy_rows(size_t (&busy)[most_devices]) const;
	double seconds_alone() const;
	int choose_policy();
	work_grid grid() const;

	launch_shape given_shape_ = {};
	member members_[most_devices] = {};
	unsigned nmembers_ = 0;
	size_t nrows_ = 0;
	bool has_twins_ = false;
	std::atomic<bool> at_work_{false};
	pin pinned_;
	bool is_analysed_ = false; // what is known of the kernel decides
};

} // namespace het::rt
