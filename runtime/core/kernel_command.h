// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What all launches have in common: the kernel, its work-items, and a copy of its arguments.
#pragma once

#include "core/event.h"
#include "core/program.h"
#include "core/ranges.h"

namespace het::rt
{

class kernel_command : public het_event
{
      public:
	explicit kernel_command(het_queue &q) : het_event(&q) {}
	~kernel_command() override;
	bool is_empty() const override { return false; }
	const char *name_of_kernel() const override { return kernel_->name.get(); }
	// An argument of this kind is bytes of the host.
	static bool is_memory(uint32_t kind) { return kind == HET_ARG_MEMORY || kind == HET_ARG_RANGE; }

      protected:
	// Checks and copies. 0 or a code.
	int take_launch(const het_launch_args &args);

	// Makes the uses parts of linked arrays with buffers on the device, if it has memory of its own. 0 or a code.
	int link_uses(het_device &d);
	// Tells the graph what is used, and returns those entries.
	std::span<access_entry> declare_uses();
	// The same, of the linked arrays: what is read with its edges, what is written widened by
	// @widen_written.
	void declare_accesses(range (*widen_written)(range));

	// What the kernel says of the arguments on the device, where it has been made. 0 or HET_EARG.
	int check_arguments(const device_kernel *k) const;

	// Its uses must be linked there.
	bool needs_memory(const het_device &d) const { return !uses_.empty() && !d.compute->is_in_place(); }
	bool has_local_memory(const compute_device &d) const { return local_bytes_ <= d.info().local_memory; }
	bool has_block() const { return !args_.empty() && args_[0].kind == HET_ARG_BLOCK; }

	reference<het_kernel> kernel_;
	// Of the arguments that are local memory, in all.
	uint64_t local_bytes_ = 0;
	// An argument is an address on a device.
	bool has_addresses_ = false;
	// On which, if that is known; or whose textures and samplers are arguments.
	het_device *addressed_ = nullptr;
	launch_shape shape_ = {};
	std::span<device_arg> args_;
	// Of the arguments that are memory, in their order. A pattern of size 0: none was given.
	std::span<range_use> uses_;
	std::span<het_pattern> patterns_;
	// As many, for the graph, and behind them those of textures, which are complete.
	std::span<access_entry> entries_;

      private:
	int take_shape(const het_launch_args &args);
	int allocate(const het_launch_args &args);
	int take_arguments(const het_launch_args &args);
	int take_argument(const het_arg &given, device_arg &arg);
	int take_address(size_t i, void *address);
	int take_device(size_t i, het_device &d);
	int take_texture(size_t i, const het_arg &given, device_arg &arg);
	int take_sampler(size_t i, const het_arg &given, device_arg &arg);
	int take_pattern(size_t i, const het_arg &given, het_pattern &p);

	// One block for all that the spans show; its size depends on the arguments.
	std::unique_ptr<char[]> storage_;
	char *values_ = nullptr;
	std::span<object *> objects_; // retained
	std::span<access_entry> textures_;
	size_t nuses_ = 0, nobjects_ = 0, ntextures_ = 0;
};

} // namespace het::rt
