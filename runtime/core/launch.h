// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches of kernels.
#pragma once

#include "core/event.h"
#include "core/program.h"
#include "core/ranges.h"

namespace het::rt
{

class launch final : public het_event
{
      public:
	explicit launch(het_queue &q) : het_event(&q) {}
	~launch() override;

	// Checks and copies the arguments, chooses the device and prepares kernel and links there. 0 or a code.
	int take(const het_launch_args &args);

	int begin(executor &x) override;
	int end() override;
	bool is_empty() const override { return false; }

      private:
	int take_shape(const het_launch_args &args);
	int allocate(const het_launch_args &args);
	int take_arguments(const het_launch_args &args);
	int take_argument(const het_arg &given, device_arg &arg);
	int choose_device(const het_launch_args &args);
	int prepare_memory();
	int bring_uses_to_host();
	int begin_on_device();
	void place_arguments();

	reference<het_kernel> kernel_;
	het_device *device_ = nullptr;
	launch_shape shape_ = {};

	// One block for all that follows; its size depends on the arguments.
	std::unique_ptr<char[]> storage_;
	char *values_ = nullptr;
	std::span<device_arg> args_;
	std::span<range_use> uses_;
	std::span<access_entry> entries_;
	std::span<het_memory *> objects_; // retained
	size_t nuses_ = 0, nobjects_ = 0;
};

} // namespace het::rt
