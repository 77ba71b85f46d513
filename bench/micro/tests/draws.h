// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Draws planted devices at random, and counts how often what the tests say of them is true.
#pragma once

#include "micro/planted.h"

#include <map>
#include <string>
#include <vector>

namespace micro
{

enum class nuisance { quiet, noisy };

// Draws one with none to three caches, with or without a TLB. Noise is part of it.
plant drawn_plant(uint64_t seed, nuisance how);

// Draws one like a GPU: a first cache for each unit and a second one for all, of one or two segments.
plant drawn_gpu(uint64_t seed);

// Returns what is true of it by the names of facts. Levels that no test can tell apart, or see, are left out.
std::map<std::string, double> truth_of(const plant &p);

struct rate {
	unsigned all = 0, right = 0, within = 0; // within: the interval has the truth
	unsigned confident = 0, confident_wrong = 0;
	double worst = 0; // share

	double of_right() const { return all ? double(right) / all : 1; }
	double of_within() const { return right ? double(within) / right : 1; }
};

// Counts by kinds of facts: "size", "latency", "line", "fetch", "reach", "segments".
using rates = std::map<std::string, rate>;

// Runs tests on a planted device, and adds to the rates.
void count(const plant &p, const std::vector<std::string> &tests, rates &to, std::string &wrong,
	   size_t most_bytes = 4 << 20);

} // namespace micro
