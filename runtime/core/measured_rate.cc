// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/measured_rate.h"

#include "cache/user_store.h"

namespace het::rt
{

namespace
{

// Returns the first of these rates that is there and can be true, or 0. Profiles have billions a second.
double first_of(const cache::device_profile &p, std::initializer_list<const char *> names)
{
	constexpr double least = 1e6, most = 1e16;
	for (const char *name : names) {
		const cache::measured *m = p.find(name);
		const double rate = m ? m->value * 1e9 : 0;
		if (rate >= least && rate <= most)
			return rate;
	}
	return 0;
}

} // namespace

// Arrays travel from and to pinned memory where a driver pins it.
double measured_rate(const cache::device_profile &p, double guess)
{
	const double rate = first_of(p, {"transfer.pinned to device", "transfer.to device"});
	return rate > 0 ? rate : guess;
}

// Most kernels read and write rows of words. A multiplication with an addition counts as two operations.
kernel_rates measured_kernel_rates(const cache::device_profile &p)
{
	constexpr double longest_launch_ns = 1e9;
	const cache::measured *launch = p.find("launch.wait");
	return {first_of(p, {"memory.both.sequential", "memory.read.sequential"}),
		first_of(p, {"arithmetic.float fma"}),
		launch && launch->value < longest_launch_ns ? launch->value * 1e-9 : 0};
}

cache::device_profile profile_of(const compute_device &d)
{
	const cache::profiled_device names = d.profiled();
	cache::device_profile p;
	if (!names.device.empty())
		get_profile(cache::user_store(), names, p);
	return p;
}

} // namespace het::rt
