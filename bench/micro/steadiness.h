// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel of arithmetic alone is measured before, between and after the tests: it takes as long each time, unless the
// device's clock ramps or is throttled, or others use the device.
#pragma once

#include "micro/test.h"

namespace micro
{

class steadiness
{
      public:
	explicit steadiness(context &c);

	// Keeps the device busy until its clock has ramped up, or a second has passed.
	void warm_up();
	// Measures the kernel. What it took is compared with the time before: where they differ clearly, a warning says
	// so of what ran between them, @what.
	void look(const std::string &what);
	// Says how much the device changed over all looks.
	void conclude();

      private:
	double launch(uint64_t steps);

	context c_;
	const uint32_t threads_;
	memory out_;
	bench::series medians_;
	bench::ratio before_;
};

} // namespace micro
