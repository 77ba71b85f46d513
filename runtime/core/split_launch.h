// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch that runs on several devices at once lives here.
//
// It is one command of the graph, and many blocks: rows of groups along one dimension, each a command for one device
// that no graph knows. A policy hands them out; a device that has finished one gets its next. The thread that ends the
// last block brings together what several devices have written, and finishes the launch.
#pragma once

#include "core/split_plan.h"
#include "core/split_watch.h"
#include "policy/ledger.h"
#include "policy/stuck.h"

namespace het::rt
{

class split_launch final : public split_plan, public watched_launch
{
      public:
	using split_plan::split_plan;

	// Chooses devices, and prepares kernel and links there. Returns 0, unsplit or a code.
	int prepare();

	begin_result begin(executor &) override;
	bool begins_anywhere() const override { return true; }
	uint32_t nparts() const override { return nparts_done_; }
	het_event_part_info part(uint32_t number) const override { return parts_done_[number]; }
	bool begin_block(block &b) override;
	bool put_off(block &b) override;
	void block_is_over(block &b, int err, bool again) override;
	void add_lanes(uint32_t (&lanes)[most_devices]) const override;

	// Says once if a part of it most likely waits for another, and sees to it that the kernel is not divided again.
	void look(uint64_t now, uint64_t gap, unsigned least_seconds) override;
	object &kept_by() override { return *this; }

      private:
	// Such a part has run for too long.
	struct late_part {
		const het_device *device;
		rows what;
		double seconds, expected;
	};

	// What devices with room have got, linked by next_start, and the blocks that are empty now, by next_emptied.
	struct handed_out {
		block *list = nullptr, *emptied = nullptr;
	};
	static constexpr unsigned nobody = most_devices;

	unsigned room(unsigned member) const;
	block *make_block(unsigned member, rows r);
	block *block_of(const ledger_entry &e) const;
	block *make_taken(const ledger::taking &t, block **emptied);
	handed_out hand_out(unsigned asks);
	void start(block *list);
	void withdraw(block *emptied);
	void note(block &b, int err, bool again);
	bool keeps_results(unsigned member) const;
	bool outlives_loss(unsigned member) const;
	bool lose(unsigned member, int err, bool again, bool short_of_memory);
	block *compare_twins();
	int bring_together();
	void note_speeds();
	void note_twin_cost(uint64_t end_ns);
	void note_parts();
	void release_blocks();
	void complete();

	block *running_block(unsigned member) const;
	bool find_late(unsigned member, double speed, uint64_t now, uint64_t gap, unsigned least, late_part &found);
	void tell(const late_part &p);
	void tell_ended(const block &b);

	// Blocks run on the lanes of this level: on each device on one, as a twin is taken ahead of the first block
	// there.
	std::atomic<int8_t> lane_level_{0};
	// They are written before it has finished, and read afterwards.
	std::unique_ptr<het_event_part_info[]> parts_done_;
	uint32_t nparts_done_ = 0;
	// These two belong to the watch.
	quiet_time quiet_[most_devices];
	bool has_late_part_ = false;

	// This guards all below, and of blocks what says so. Its rank is graph.
	futex_lock lock_;
	ledger ledger_;
	block *blocks_ = nullptr; // has all there ever were
	int failure_ = 0;
	bool has_late_ended_ = false; // tells that a part ended that was named as late
};

} // namespace het::rt
