// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch that runs on several devices at once.
//
// It is one command of the graph, and many blocks: rows of groups along one dimension, each a command for one device that
// no graph knows. A policy hands them out; a device that has finished one gets its next. The thread that ends the
// last block brings together what several devices have written, and finishes the launch.
//
// Of an argument that is written and has a pattern, a block has its own bytes. Without one each device has all of it, and a twin
// (core/twins.h): what it has written can't be told block by block, so all that a device did is done again by others if it fails.
#pragma once

#include "core/kernel_command.h"
#include "core/split_watch.h"
#include "core/twins.h"
#include "policy/policy.h"
#include "policy/stuck.h"

namespace het::rt
{

class block;

class split_launch final : public kernel_command
{
      public:
	// What take() answers to a launch that is better not split, or can't be; nothing has happened then.
	static constexpr int unsplit = 1;

	using kernel_command::kernel_command;

	// Checks and copies the arguments, and prepares kernel and links on all devices. 0, unsplit, or a code.
	int take(const het_launch_args &args);

	int begin(executor &) override;
	bool begins_anywhere() const override { return true; }
	uint32_t nparts() const override { return ndone_; }
	het_event_part_info part(uint32_t number) const override;

	watched_launch watched;
	// Says once if a part of it most likely waits for another, and sees to it that the kernel is not divided again. For the watch:
	// @gap as that of quiet_time.
	void look(uint64_t now, uint64_t gap, unsigned least_seconds);

      private:
	friend class block;

	struct participant {
		het_device *device;
		device_kernel *kernel;
		unsigned blocks; // that it has now
		uint64_t last_end;
		double rows, seconds; // that it has done, and was busy
		uint64_t twins_ns;    // of its blocks
		bool out;             // it has failed
	};

	struct done_part {
		het_event_part_info info;
		std::unique_ptr<done_part> next;
	};

	// A part that has run for too long.
	struct late_part {
		const het_device *device;
		rows what;
		double seconds, expected;
	};

	int refuse(const char *why) const;
	int choose_devices();
	int keep_one_of_processors();
	bool is_chosen(const participant &p) const;
	int choose_local();
	int choose_rows();
	int choose_patterns(bool declared);
	int prepare_kernels();
	int prepare_memory();
	bool find_speeds(double (&speeds)[most_devices]) const;
	size_t find_grains(size_t (&grains)[most_devices]) const;
	int make_policy();
	unsigned room(const participant &p) const;

	// The argument's bytes are known for each block.
	bool has_pattern(size_t use) const;
	bool needs_twin(size_t use) const { return (uses_[use].access & HET_WRITE_ONLY) && !has_pattern(use); }
	size_t twin_bytes() const;
	size_t all_bytes() const;
	double items_of_row() const;

	block *hand_out(unsigned participant);
	block *hand_out_all();
	void start(block *list);
	// @again: others may do it.
	void block_is_over(block &b, int err, bool again);
	void note(block &b, int err, bool again);
	bool keeps_results(const participant &p) const;
	bool can_be_repeated(unsigned participant) const;
	bool lose(unsigned participant, int err, bool again);
	void note_done(block &b, participant &p);
	void note_speeds();
	void note_part(const block &b, uint64_t ended);
	void take_back(block &b);
	rows take_returned();
	void take_back_all(unsigned participant);
	block *compare_twins();
	void note_twin_cost(uint64_t end_ns);
	int bring_together();
	void complete();

	block *running_block(unsigned participant) const;
	double expected_seconds(const block &b, double speed) const;
	bool find_late(unsigned participant, double speed, uint64_t now, uint64_t gap, unsigned least,
		       late_part &found);
	void tell(const late_part &p);
	void tell_ended(const block &b);

	participant parts_[most_devices] = {};
	unsigned nparts_ = 0;
	size_t nrows_ = 0;
	std::unique_ptr<policy> policy_;
	twins twins_;
	bool has_twins_ = false;
	bool is_analysed_ = false; // what is known of the kernel decides
	bool is_declared_ = false; // the caller has said that it may be divided
	// The watch's.
	quiet_time quiet_[most_devices];
	bool has_late_part_ = false;

	// Guards all below, the policy, and the participants once it has begun. Rank: graph.
	futex_lock lock_;
	block *blocks_ = nullptr; // all there ever were
	unsigned under_way_ = 0;
	uint64_t over_ = 0;     // blocks that have ended, however
	unsigned returned_ = 0; // blocks that were given back, and nobody has yet
	std::unique_ptr<done_part> done_;
	uint32_t ndone_ = 0;
	int failure_ = 0;
	bool has_late_ended_ = false; // a part that was named as late
};

} // namespace het::rt
