// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/calibration.h"

#include <algorithm>
#include <cmath>

namespace het::rt
{

namespace
{

// A new measurement has this weight, since machines have other things to do.
constexpr double weight = 0.25;
// Shares that differ by less are the same.
constexpr double small_part = 0.04;

} // namespace

void calibration::note(unsigned device, double speed)
{
	double &known = known_[device];
	known = known > 0 ? known + weight * (speed - known) : speed;
}

bool calibration::choose(std::span<const unsigned> devices, std::span<double> guess)
{
	double known = 0, used = 0, moved = 0;
	bool all = true, again = true;
	for (unsigned d : devices) {
		known += known_[d];
		used += used_[d];
		all &= known_[d] > 0;
		again &= used_[d] > 0;
	}
	if (!all)
		return false;
	for (unsigned d : devices)
		moved = std::max(moved, again ? std::abs(known_[d] / known - used_[d] / used) : 1);
	for (size_t i = 0; i < devices.size(); i++) {
		double &u = used_[devices[i]];
		u = moved < small_part ? u : known_[devices[i]];
		guess[i] = u;
	}
	return true;
}

} // namespace het::rt
