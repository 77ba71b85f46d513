// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is what all launches have in common, once they are commands.
#pragma once

#include "core/event.h"
#include "core/kernel_arguments.h"

namespace het::rt
{

class kernel_command : public het_event, protected kernel_arguments
{
      public:
	kernel_command(het_queue &q, kernel_arguments &&taken) : het_event(&q), kernel_arguments(std::move(taken)) {}
	bool is_empty() const override { return false; }
	const kernel_command *as_launch() const override { return this; }
	// What follows is what the caller has asked for, as it is until the launch begins.
	virtual const launch_shape &asked_shape() const { return shape_; }
	het_kernel &asked_kernel() const { return *kernel_; }
	uint32_t asked_flags() const { return flags_; }
	std::span<const device_arg> arguments() const { return args_; }
	// These are of the arguments that are memory, in their order.
	std::span<const range_use> uses() const { return uses_; }
	// Returns null if the caller has given none.
	const het_pattern *asked_pattern(size_t use) const
	{
		return patterns_[use].size == sizeof(het_pattern) ? &patterns_[use] : nullptr;
	}

	const char *name_of_kernel() const override { return kernel_->name.get(); }
	// It is a row_launch.
	virtual bool is_by_rows() const { return false; }
	using kernel_arguments::is_memory;

      protected:
	// This is what link_uses() answers if all the arrays together are more than the library may use of the device's
	// memory.
	static constexpr int too_large = 2;
	// Makes the uses parts of linked arrays with buffers on the device, if it has memory of its own. Returns 0,
	// too_large or a code.
	int link_uses(het_device &d);
	// Says so. Returns HET_EDEVICE.
	int fail_too_large(const het_device &d) const;
	// They may be so, as far as is known before they are linked.
	bool is_too_large_for(const het_device &d) const;
	// Counts the bytes that have to travel to the device.
	double missing_on(const het_device &d) const;
	newcomer newcomer_of(const het_device &d) const;
	// Tells the graph what is used, and returns those entries.
	std::span<access_entry> declare_uses();
	// Does the same for the linked arrays: what is read counts with its edges, what is written is widened by
	// @widen_written.
	void declare_accesses(range (*widen_written)(range));
};

} // namespace het::rt
