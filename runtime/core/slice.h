// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernel of one slice of a launch that does not fit (core/sliced_launch.h).
#pragma once

#include "core/sliced_plan.h"

namespace het::rt
{

class slice_of_launch final : public het_event
{
      public:
	// The number is that of one of the launch's kernels.
	slice_of_launch(sliced_plan &l, size_t number, int8_t urgency);
	// Allocates memory for its arguments. It is false if there is none.
	bool allocate();

	begin_result begin(executor &) override;
	int end(int device_error) override { return device_error; }
	void after(int status) override { of_->slice_is_over(number_, status, why); }
	bool is_empty() const override { return false; }

      private:
	const reference<sliced_plan> of_;
	const size_t number_;
	std::unique_ptr<device_arg[]> args_;
};

} // namespace het::rt
