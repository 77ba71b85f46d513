// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests of small budgets are made for devices that few groups keep busy. A slice has as many groups as keep its device
// busy, so one with many units would leave nothing of such a budget for what is between slices: there budgets and
// arrays are so many times as large.
#pragma once

#include "runtime.h"

#include <algorithm>

namespace selftest
{

// Groups of so many work-items, of a byte each of two arrays, are less than an eighth of any such budget.
inline constexpr size_t few_groups = 128;

// Returns how many times as large all is for the devices that there are. With most GPUs so many groups are wanted for a
// unit, with others fewer.
inline size_t growth()
{
	constexpr size_t groups_of_unit = 16;
	size_t factor = 1;
	for (het_device *d : all_devices()) {
		het_device_info info = {};
		info.size = sizeof info;
		HET_OK(het_device_describe(d, &info));
		const bool may_be_gpu = info.kind == HET_DEVICE_CUDA || info.kind == HET_DEVICE_OPENCL;
		const size_t groups = info.units * (may_be_gpu ? groups_of_unit : 1);
		factor = std::max(factor, (groups + few_groups - 1) / few_groups);
	}
	return factor;
}

class growing_fixture : public runtime_fixture
{
      public:
	// Each device with memory of its own has the budget, grown().
	growing_fixture(const context &t, size_t budget, const char *setting = "HET_EVICT=keep",
			const char *devices = nullptr)
	    : runtime_fixture(t, 0, std::vector<const char *>{"HET_DEVICE_MEMORY=1M", setting}, devices)
	{
		for (het_device *d : all_devices()) {
			if (memory_of(d).budget)
				HET_OK(set_budget(d, budget));
		}
	}

	size_t grown(size_t nbytes) const { return nbytes * factor_; }
	int set_budget(het_device *d, size_t nbytes) const { return het_device_set_budget(d, grown(nbytes)); }

      private:
	const size_t factor_ = growth();
};

} // namespace selftest
