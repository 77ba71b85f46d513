// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures a host read sweep over an array that a kernel has just written, which shows read-ahead at work.
#pragma once

#include "common/device.h"

#include <string>
#include <vector>

namespace bench
{

// Tells where the host array comes from.
enum class sweep_memory { adopted, library, library_huge };

struct sweep_samples {
	std::vector<double> sweep;   // µs to read one word of each page, through the trap
	std::vector<double> touches; // touches that were caught
	std::vector<double> fetches; // device reads for them
	std::vector<double> plain;   // µs for one raw read of the whole buffer into fresh memory, then the same reads
};

std::string name_of(sweep_memory m);

// Throws if the host sees anything but what the kernel wrote.
sweep_samples measure_sweep(device &d, sweep_memory memory, size_t nbytes, unsigned rounds);

} // namespace bench
