// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/slice.h"

#include <algorithm>
#include <new>

namespace het::rt
{

slice_of_launch::slice_of_launch(sliced_plan &l, size_t number, int8_t urgency)
    : het_event(nullptr), of_(reference<sliced_plan>::to(&l)), number_(number)
{
	level.store(urgency, std::memory_order_relaxed);
}

bool slice_of_launch::allocate()
{
	args_.reset(new (std::nothrow) device_arg[of_->launch_of(number_).arguments().size()]);
	return args_ != nullptr;
}

begin_result slice_of_launch::begin(executor &)
{
	const sliced_plan &l = of_->launch_of(number_);
	const std::span<device_arg> args(args_.get(), l.arguments().size());
	std::copy(l.arguments().begin(), l.arguments().end(), args.begin());
	launch_shape shape = l.shape();
	of_->place_arguments(number_, args, shape, on_device);
	of_->slice_begins(number_, *this);
	compute_device &d = *of_->device().compute;
	const int err = d.submit(l.kernel(number_), shape, args, on_device);
	if (err || !d.has_queue())
		return err;
	return begin_result::in_flight;
}

} // namespace het::rt
