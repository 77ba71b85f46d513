// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch whose own arrays do not fit into its device's memory lives here. It runs as slices, one after the other.
//
// It is one command of the graph, and one to the host: what it uses is opened on the host's memory
// (runtime::host_memory) for as long as it lasts, so touches of what it writes wait for its end. Each slice's kernel is
// a command for the device that no graph knows. Two threads of the device's work for it (core/slice_threads.h): the
// fetcher gets the memory, opens what is used, and copies what a slice reads into its windows while the kernel of the
// one before runs; the evictor copies what a slice has written home, to the host's memory, and ends the launch.
//
//   fetcher                              device                     evictor
//   the windows of slice n are free
//   copies in, starts the kernel    →    runs, ends          →     copies out; what it has written is free
//
// A window's buffer is free for slice n when the slice that had it, n less the number of buffers, has ended, and, if it
// is written, has come home. So the threads wait for what is before them alone.
//
// The host's pages are taken slice by slice, by the fetcher where its next one needs them, and else by the evictor
// while that has nothing to do (core/slice_parts.h).
//
// A launch with which others run mixed (core/mixed_group.h) does their slices as well: a slice has a kernel of each of
// them, and they start when what the slice before has of its bytes was carried over. Kernels have numbers, slice by
// slice; without a group these are the slices'.
//
// A launch that works on host memory in place has one part, and frames instead of windows: the fetcher fills them and
// starts the kernel, the evictor empties them.
//
// From when the fetcher begins it the watch looks at it (core/split_watch.h), and names what it waits for if that is
// for long.
#pragma once

#include "core/granule_frames.h"
#include "core/slice_frames.h"
#include "core/slice_parts.h"
#include "core/sliced_plan.h"
#include "core/split_watch.h"
#include "policy/stuck.h"

namespace het::rt
{

class sliced_launch final : public sliced_plan, public watched_launch
{
      public:
	using sliced_plan::sliced_plan;

	// It runs for this command, which has begun, and whose arguments it has: that finishes in its place, and keeps
	// it until it is gone itself. The caller has seen to it that there are threads for the device.
	void stand_in_for(het_event &e);
	void finish_here(int status) override;
	int8_t urgency() const override { return in_place_of_ ? in_place_of_->level.load() : level.load(); }
	void add_lanes(uint32_t (&lanes)[most_devices]) const override;

	begin_result begin(executor &) override;
	bool begins_anywhere() const override { return true; }
	uint32_t nparts() const override { return 1; }
	het_event_part_info part(uint32_t number) const override;

	bool fetch_begin() override;
	void fetch_all() override;
	void bring_all() override;

	void place_arguments(size_t kernel, std::span<device_arg> args, launch_shape &s, ticket &t) const override;
	void slice_begins(size_t kernel, const het_event &slice) override;
	void slice_is_over(size_t kernel, int err, std::unique_ptr<char[]> &said) override;

	void look(uint64_t now, uint64_t gap, unsigned least_seconds) override;
	object &kept_by() override { return *this; }

      private:
	// What the fetcher does before it has anything open.
	enum class stage : uint8_t { gets_memory, brings, opens, is_open };
	// What is in the way of a launch.
	enum class obstacle : uint8_t { memory, bytes_elsewhere, others, kernel, device, way_home, way_there };

	uint64_t bytes_to_take();
	int take_memory();
	granule_frames::launch launch_in_place() const;
	int take_granules();
	void leave_granules();
	void forget_what_is_written();
	int begin_uses();
	int inspect();
	void choose_kept();
	keeping keeping_of(unsigned window, std::span<const uintptr_t> arrays) const;
	keeping keeps(unsigned window) const { return keeps_ ? keeps_[window] : keeping::nothing; }
	int bring_what_is_away();
	int leave_group_of_lost();
	void choose_accesses();
	size_t ended_slices() const { return ended_.load() / nlaunches(); }
	int open_uses();
	bool may_take_parts() const { return parts_.is_next_free() && !has_failed_.load(); }
	bool take_parts();
	void get_parts(size_t slice);
	void wait_for_slice(size_t slice);
	void close_uses();
	void fail_once(int err);
	void leave();
	void announce();
	template <class F> void wait_until(F done);
	template <class P, class F> int for_windows(P wanted, F f) const;
	bool is_free(const window &w, size_t slice) const;
	int send(unsigned window, size_t slice, row_span rows);
	int bring(unsigned window, size_t slice, row_span rows);
	template <class F> int with_ranges(unsigned window, row_span rows, bool written, F f) const;
	int send_slice(size_t slice, bool written);
	int carry(size_t slice);
	int send_all_that_stays();
	int fetch(size_t slice);
	int bring(size_t slice);
	int bring_all_that_stays();
	int start(size_t kernel);
	int start_all(size_t slice);
	void pass_over(size_t kernel);
	void note_over(size_t kernel);
	// These are in core/sliced_look.cc.
	int begin_record();
	void count_stall(size_t slice);
	void end_record();
	void record_other(sliced_plan &l) const;
	obstacle find_obstacle(size_t *slice) const;
	uint64_t steps_so_far() const;
	double expected_seconds() const;
	void tell(obstacle o, size_t slice, double seconds, double expected) const;
	void end_lateness(int err);

	het_event *in_place_of_ = nullptr;
	slice_frames frames_;
	slice_parts parts_;
	std::unique_ptr<keeping[]> keeps_; // what each window has, for other launches
	// Where it works in place: those of the device, or its own if another launch has them.
	granule_frames *granules_ = nullptr;
	std::unique_ptr<granule_frames> own_granules_;
	std::atomic<uint64_t> started_at_{0};   // its last kernel
	std::atomic<executor *> lane_{nullptr}; // does its slices, once there are any
	// Of those slices: of a group all have the same, so that they come to the device in their order.
	int8_t level_of_group_ = 0;
	std::atomic<uint64_t> last_over_at_{0}; // is when the last of those that have ended was told to have

	// The threads tell each other by these.
	std::atomic<uint32_t> changes_{0};
	std::atomic<size_t> started_{0}; // kernels that were given to the device
	std::atomic<size_t> ended_{0};   // so many of them, the first ones, have ended, as has been told
	std::atomic<size_t> home_{0};    // slices of which all have, and that are home
	std::atomic<bool> all_started_{false};
	std::atomic<bool> has_failed_{false};
	futex_lock over_lock_;         // guards the next; its rank is leaf
	std::unique_ptr<bool[]> over_; // of each kernel: its end has been told
	// Of each kernel: the command, from when it is given to the device. That may be no more.
	std::unique_ptr<std::atomic<const het_event *>[]> begun_;
	int failure_ = 0; // belongs to whoever has set has_failed_, and is read when all is over

	// These are for the watch.
	std::atomic<stage> stage_{stage::gets_memory};
	std::atomic<uint64_t> first_at_{0};       // is when the first slice was given to the device
	quiet_time quiet_;                        // is the watch's
	std::atomic<bool> is_told_{false};        // it has waited for too long
	std::atomic<het_kernel *> late_{nullptr}; // for this kernel, which counts as one that waits for others
};

} // namespace het::rt
