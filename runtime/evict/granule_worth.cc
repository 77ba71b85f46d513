// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/granule_worth.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// Random words of 2 GiB of registered memory on an H100 (4 KiB pages) take so long; of 1 GiB half of it.
constexpr double random_access_ns = 16;
// How often a launch comes is no better known from more launches than that.
constexpr unsigned many = 15;

} // namespace

double access_ns_of(uint64_t kernel_ns, uint64_t accesses)
{
	return accesses ? std::min(double(kernel_ns) / double(accesses), random_access_ns) : random_access_ns;
}

uint64_t worth_of(const granule_use &g, const launches_seen &seen)
{
	const double copy = double(g.bytes) * seen.byte_ns;
	const double accesses = double(g.accesses) * seen.access_ns;
	const double in_place = g.is_used_once ? std::min(accesses, copy) : accesses;
	const double home = g.is_written ? copy : 0, coming = g.must_come ? copy / (1 + std::min(seen.count, many)) : 0;
	const double gain = in_place - home - coming;
	return gain >= 1 ? uint64_t(gain) : 0;
}

} // namespace het::rt
