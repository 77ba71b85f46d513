// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/measured_rate.h"

#include "cache/user_store.h"

namespace het::rt
{

// Arrays travel from and to pinned memory where a driver pins it.
double measured_rate(const cache::device_profile &p, double guess)
{
	constexpr double least = 1e6, most = 1e13; // bytes a second
	for (const char *name : {"transfer.pinned to device", "transfer.to device"}) {
		const cache::measured *m = p.find(name);
		const double rate = m ? m->value * 1e9 : 0;
		if (rate >= least && rate <= most)
			return rate;
	}
	return guess;
}

double measured_rate(const compute_device &d, double guess)
{
	const cache::profiled_device names = d.profiled();
	cache::device_profile p;
	if (names.device.empty() || !get_profile(cache::user_store(), names, p))
		return guess;
	return measured_rate(p, guess);
}

} // namespace het::rt
