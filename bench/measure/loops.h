// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Loops of a kernel and a host that touches some of what it wrote: those that foresight is for, and those whose next
// touch it guesses wrong. And of a host that writes what the next kernel needs, which may be sent ahead of it.
#pragma once

#include "common/child.h"

#include <string>
#include <vector>

namespace bench
{

// What the library does of itself: nothing, foresee, send ahead besides.
enum class loop_way : uint8_t { plain, foresight, sending };

struct loop_pattern {
	const char *name;
	const char *title;
	double limit; // of the time with / without
	loop_way with = loop_way::foresight, without = loop_way::plain;
};
const std::vector<loop_pattern> &loop_patterns();
std::vector<std::string> loop_pattern_names();

struct loop_options {
	std::string device;
	size_t nbytes = 64 << 20;
	unsigned rounds = 64; // to learn in, and as many that are timed
	loop_way way = loop_way::foresight;
};

// Body of a child process. It takes the name of a pattern and answers with "us", the mean time of a timed round (begin,
// kernel, end, host), and with bytes that came or were sent ahead: "learning", "timed", and of both "in_vain" as the
// library tells. Each question has arrays of its own, with no history. It throws where the host saw anything but what
// the kernel wrote.
answer_fn start_loops(const loop_options &o);

} // namespace bench
