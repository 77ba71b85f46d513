// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says what curves of latency mean: caches, TLBs, lines.
#pragma once

#include "micro/levels.h"
#include "micro/recorder.h"

namespace micro
{

enum class owner {
	cache,
	tlb,
	far_segments, // of the cache before it: from there on they miss, too
};

// @owners has one for each knee. Facts are lN.size and lN.latency by levels, tlbN.reach, behind @prefix.
std::vector<fact> cache_facts(const curve &c, const levels &l, const std::vector<owner> &owners,
			      const std::string &prefix = "");

// Tells of the height behind all knees, if there are footprints that have it.
fact last_fact(const std::string &name, const curve &c, const levels &l);

// Tells of the height behind all knees. Where no footprint shows it alone, @cold has loads that no cache served, or is
// empty.
fact memory_fact(const curve &c, const levels &l, const point &cold);

// @c has the latency of loads that are x bytes behind the one before: they find what that has brought as long as x is
// less than what a miss brings. One that takes less than @between_ns has found it. One distance may be slower than
// those before, and take @surely_ns at least: then some misses bring more than others.
fact fetch_fact(const std::string &name, const curve &c, double surely_ns, double between_ns, uint64_t seed);

// @c has the latency of walks with one load in x bytes, over a footprint that is larger than the cache: from where on
// they leave out lines, and so find room, x is more than a line. @hit_ns is the latency of loads that find theirs.
fact line_fact(const std::string &name, const curve &c, double hit_ns, uint64_t seed);

} // namespace micro
