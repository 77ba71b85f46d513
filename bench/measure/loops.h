// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Loops of a kernel and a host that touches some of what it wrote: those that foresight is for, and those whose next
// touch it guesses wrong.
#pragma once

#include "common/child.h"

#include <string>
#include <vector>

namespace bench
{

struct loop_pattern {
	const char *name;
	const char *title;
	double limit; // of the time with foresight / without
};
const std::vector<loop_pattern> &loop_patterns();
std::vector<std::string> loop_pattern_names();

struct loop_options {
	std::string device;
	size_t nbytes = 64 << 20;
	unsigned rounds = 64; // to learn in, and as many that are timed
	bool foresight = true;
};

// Body of a child process. It takes the name of a pattern and answers with "us", the mean time of a timed round (begin,
// kernel, end, host), and with bytes that came ahead: "learning", "timed", and of both "in_vain" as the library tells.
// Each question has arrays of its own, with no history. It throws where the host saw anything but what the kernel wrote.
answer_fn start_loops(const loop_options &o);

} // namespace bench
