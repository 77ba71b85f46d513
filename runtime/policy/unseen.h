// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says what may be expected of devices that have never run a kernel, from what profiles tell of them. Nobody knows
// whether the kernel will wait for memory or for arithmetic. No system call is made.
#pragma once

#include "policy/placing.h"

namespace het::rt
{

// Has what kernels can do on a device at most in a second, and what it takes to launch one; 0 is what no profile
// tells.
struct kernel_rates {
	double memory = 0;     // bytes
	double arithmetic = 0; // operations on floats
	double launch = 0;     // seconds that a launch takes by itself; 0 where that is not known, too

	bool known() const { return memory > 0 && arithmetic > 0; }
};

// This is a device and the bytes of a launch: those that the kernel uses, and those that have to travel before.
struct newcomer {
	kernel_rates rates;
	double used, missing;
	double transfer; // bytes a second
};

// Returns the number of the device for a kernel that none of them has run. It is the first one, unless another is
// quicker whatever the kernel waits for.
size_t choose_unseen(std::span<const newcomer> devices);

// Gives a candidate of unknown speed the highest one that it can have, as others have shown theirs: so it is tried only
// where it may finish first. Those of which no profile tells stay unknown. There is one of @rates for each candidate.
void bound_unseen(std::span<candidate> candidates, std::span<const kernel_rates> rates);

// Gives speeds to cut first shares by, of which only the ratios count. Returns false, and leaves @speeds as they were,
// if one device has no profile, or if nothing tells what takes time: the launch has no bytes, and not all profiles have
// what launches cost.
bool guess_shares(std::span<const newcomer> devices, std::span<double> speeds);

} // namespace het::rt
