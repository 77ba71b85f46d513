// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch has this of its caller's: the kernel, its work-items, and a copy of its arguments. It is taken once, and
// goes from hand to hand until there is a command that runs it.
#pragma once

#include "core/object.h"
#include "core/program.h"
#include "core/ranges.h"

#include <memory>
#include <span>
#include <utility>

namespace het::rt
{

// These references are in somebody else's memory, which lives longer.
class retained_objects
{
      public:
	retained_objects() = default;
	explicit retained_objects(std::span<object *> room) : room_(room) {}
	retained_objects(retained_objects &&o) noexcept : room_(std::exchange(o.room_, {})), n_(std::exchange(o.n_, 0))
	{
	}
	retained_objects &operator=(retained_objects &&o) noexcept
	{
		std::swap(room_, o.room_);
		std::swap(n_, o.n_);
		return *this;
	}
	~retained_objects();

	void retain(object &o);

      private:
	std::span<object *> room_;
	size_t n_ = 0;
};

class kernel_arguments
{
      public:
	kernel_arguments() = default;
	// What was moved from is good for nothing but its destructor.
	kernel_arguments(kernel_arguments &&) noexcept = default;
	kernel_arguments &operator=(kernel_arguments &&) = delete;

	// Checks and copies. Returns 0 or a code.
	int take(const het_launch_args &args);

	// That its groups may be divided was promised by the caller, or an analysis of the kernel may have found it
	// out.
	bool may_be_split() const { return (flags_ & HET_SPLIT) || kernel_->may_be_safe(); }
	// Returns whether an argument of this kind is bytes of the host.
	static bool is_memory(uint32_t kind) { return kind == HET_ARG_MEMORY || kind == HET_ARG_RANGE; }

      protected:
	// Compares them with what the kernel says of the arguments on the device, where it has been made. Returns 0 or
	// HET_EARG.
	int check_arguments(const device_kernel *k) const;

	// Returns whether the uses must be linked there.
	bool needs_memory(const het_device &d) const { return !uses_.empty() && !d.compute->is_in_place(); }
	bool has_local_memory(const compute_device &d) const { return local_bytes_ <= d.info().local_memory; }
	bool has_block() const { return !args_.empty() && args_[0].kind == HET_ARG_BLOCK; }

	reference<het_kernel> kernel_;
	// This is the caller's wish, or null.
	het_device *named_ = nullptr;
	uint32_t flags_ = 0;
	// This is the size of all arguments that are local memory together.
	uint64_t local_bytes_ = 0;
	// An argument is an address on a device.
	bool has_addresses_ = false;
	// The addresses are on this device, if it is known; or it is the one whose textures and samplers are arguments.
	het_device *addressed_ = nullptr;
	launch_shape shape_ = {};
	std::span<device_arg> args_;
	// These are of the arguments that are memory, in their order. A pattern of size 0 means that none was given.
	std::span<range_use> uses_;
	std::span<het_pattern> patterns_;
	// There are as many of these, for the graph, and behind them those of textures, which are complete.
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

	// This one block holds all that the spans show; its size depends on the arguments.
	std::unique_ptr<char[]> storage_;
	char *values_ = nullptr;
	retained_objects objects_;
	std::span<access_entry> textures_;
	size_t nuses_ = 0, ntextures_ = 0;
};

} // namespace het::rt
