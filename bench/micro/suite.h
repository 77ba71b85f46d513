// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs tests one after the other; what stops one of them is said, and the others go on.
#pragma once

#include "micro/test.h"

#include <vector>

namespace micro
{

struct choice {
	std::vector<std::string> only;     // names of tests; none: all
	std::vector<std::string> finished; // by an earlier run
	bool quick = false;
	bool rates_only = false;        // for a profile: no curves
	bool smallest = false;          // shows that the tests run, and not what a device is like
	bool planted = false;           // short launches: what a model takes long for is not what its clock says
	size_t planted_bytes = 4 << 20; // of the largest buffer of a planted device
	double seconds = 0;             // for all tests; 0: what quick says
	uint64_t seed = 1;
};

// Throws for a name that no test has.
std::vector<const test *> chosen_tests(const std::vector<std::string> &only);

// @told is called before each test, with its name and what it is doing.
void run_tests(target &dut, recorder &out, const choice &what, const std::function<void(const std::string &)> &told);

} // namespace micro
