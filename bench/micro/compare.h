// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares results of devices, or of one device at several dates.
#pragma once

#include "json/json.h"

#include <string>
#include <vector>

namespace micro
{

struct difference {
	std::string name, unit;
	double first = 0, second = 0;
	bool beyond = false; // the intervals of both do not touch
	double worse = 0;    // the second is so much worse, as a share; 0 where neither is better, as with sizes
};

struct comparison {
	std::vector<difference> all;
	std::vector<std::string> only_first, only_second; // facts and figures that the other lacks
};

// Pairs figures and facts by their names.
comparison compare(const het::json &first, const het::json &second);

// Returns a table of two results with a mark at what differs beyond both spreads; figures that do not are only counted.
std::string comparison_text(const comparison &c, const std::string &first, const std::string &second);

// Returns how many figures of the second are worse by more than @share, and beyond both spreads.
size_t count_worse(const comparison &c, double share);

// Returns 0.05 for "5%" and "0.05". Throws for what is neither.
double share_of_text(const std::string &text);

} // namespace micro
