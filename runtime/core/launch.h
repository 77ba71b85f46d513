// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These launches of kernels run on one device.
#pragma once

#include "core/kernel_command.h"
#include "core/recycled.h"
#include "core/strips.h"
#include "policy/placing.h"

namespace het::rt
{

class launch final : public kernel_command, public recycled<launch>
{
      public:
	using kernel_command::kernel_command;

	// This is what prepare() answers to a launch that does not fit into the memory of any device that could run it.
	static constexpr int wants_slices = 3;
	// Chooses the device and prepares kernel and links there. Returns 0, wants_slices or a code.
	int prepare();
	// Returns those devices, bit by number, and gives back what was taken.
	uint32_t too_small() const { return too_small_; }
	kernel_arguments give_back() { return std::move(static_cast<kernel_arguments &>(*this)); }

	begin_result begin(executor &x) override;
	int end(int device_error) override;
	void bring_home() override { rt::bring_home(uses_); }
	void bring_later() override { rt::bring_later(uses_, *this); }
	void add_lanes(uint32_t (&lanes)[most_devices]) const override;
	uint32_t nparts() const override { return device_ != nullptr; }
	het_event_part_info part(uint32_t number) const override;

      private:
	// The groups of such a device are others than the launch's.
	struct misfit {
		const het_device *device = nullptr;
		fatbin::fault why = {};
		uint32_t too_small = 0; // of which these, bit by number, have not enough memory
	};

	bool can_take_arguments(const compute_device &d) const;
	bool can_take_groups(const het_device &d, misfit &m) const;
	const char *what_is_special() const;
	unsigned find_devices(het_device *(&found)[most_devices], het_device **lost, misfit &m) const;
	int fail_for_groups(const misfit &m) const;
	int prepare_one_of(std::span<het_device *> able, misfit &m, size_t *left);
	candidate candidate_of(het_device &d) const;
	uint64_t known_duration();
	size_t place_known(std::span<het_device *const> devices, candidate (&all)[most_devices]) const;
	size_t place_unseen(std::span<het_device *const> devices) const;
	het_device &place_among(std::span<het_device *const> devices);
	int choose_device();
	void find_thieves(std::span<het_device *const> able);
	bool may_go_behind() const;
	bool may_be_stopped() const;
	bool may_be_in_strips() const;
	void prepare_strips();
	int prepare_on(het_device &d);
	int prepare_memory();
	outcome begin_uses(int *err);
	begin_result begin_on_device();
	begin_result begin_in_slices();
	begin_result begin_in_strips();
	void describe_uses(bool kernel_notes);
	int end_uses(int device_error);
	void note_rate();
	double note_speed();
	void note_total(double kernel_seconds);
	void place_arguments();

	het_device *device_ = nullptr;
	// These bytes were to travel to it when it was chosen; 0 means that this is not known.
	size_t missing_ = 0;
	uint64_t begun_ = 0, submitted_ = 0;
	uint32_t too_small_ = 0;
	// It runs in the place of this, and has the arguments, at which the graph looks.
	reference<object> in_slices_;
	// It runs as strips on this device, unless another has stolen it.
	const het_device *in_strips_on_ = nullptr;
	strip_plan strip_plan_ = {};
	std::unique_ptr<strips> strips_;
	bool is_promised_ = false; // what HET_TOUCH_AFTER_WAIT says
};

} // namespace het::rt
